# Two images from one file: `tower` (the service, the default) and `measure` (the measuring command, for repositories' workflows).
# Every tool is an exact version in package.json and bun.lock; a tool changes only together with this file.

FROM debian:bookworm-slim AS bun
RUN apt-get update \
 && apt-get install -y --no-install-recommends ca-certificates nodejs npm \
 && rm -rf /var/lib/apt/lists/*
# The npm package's own binary: its post-install script only links it, so it is linked here instead.
RUN npm install --ignore-scripts --prefix /opt/bun bun@1.4.5 \
 && ln -s /opt/bun/node_modules/@oven/bun-linux-*/bin/bun /usr/local/bin/bun \
 && bun --version
WORKDIR /tower
COPY package.json bun.lock bunfig.toml ./
RUN bun install --frozen-lockfile --production --ignore-scripts

FROM debian:bookworm-slim AS measure
RUN apt-get update \
 && apt-get install -y --no-install-recommends ca-certificates git \
 && rm -rf /var/lib/apt/lists/*
COPY --from=bun /opt/bun/node_modules/@oven /opt/bun
RUN ln -s /opt/bun/bun-linux-*/bin/bun /usr/local/bin/bun
WORKDIR /tower
COPY package.json bun.lock bunfig.toml tsconfig.json ./
COPY --from=bun /tower/node_modules node_modules
# A missing platform package does not fail an install, so its absence must fail the image.
RUN test -x "$(echo node_modules/jscpd-linux-*-gnu/bin/jscpd | cut -d' ' -f1)"
COPY src/lib src/lib
COPY src/platform/http.ts src/platform/clock.ts src/platform/
COPY src/codebase/contract.ts src/codebase/measures.ts src/codebase/
COPY src/measure src/measure
USER 10001
# A workflow may start it in the checkout: the checkout's .env and bunfig.toml, which can name code to load, are not obeyed.
ENTRYPOINT ["bun", "--no-env-file", "--config=/tower/bunfig.toml", "/tower/src/measure/main.ts"]

FROM debian:bookworm-slim AS tower
RUN apt-get update \
 && apt-get install -y --no-install-recommends ca-certificates git \
 && rm -rf /var/lib/apt/lists/* \
 && useradd --uid 10001 --user-group --home-dir /data --no-create-home tower \
 && mkdir -m 0700 /data \
 && chown 10001:10001 /data
COPY --from=bun /opt/bun/node_modules/@oven /opt/bun
RUN ln -s /opt/bun/bun-linux-*/bin/bun /usr/local/bin/bun
WORKDIR /tower
COPY package.json bun.lock bunfig.toml tsconfig.json ./
COPY --from=bun /tower/node_modules node_modules
COPY drizzle drizzle
COPY public public
COPY src src
# What browsers load is that of the packages installed, whatever was checked in.
RUN bun src/tower/vendor.ts
RUN bun src/build.ts
USER tower
ENV DATA_DIR=/data \
    TOWER_HOST=0.0.0.0 \
    TOWER_PLAIN_HTTP=1 \
    NODE_ENV=production
VOLUME /data
# The Tower only: the ingest stays on the container's loopback unless INGEST_HOST publishes it.
EXPOSE 4611
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=3s --start-period=5s \
  CMD ["bun", "-e", "const r = await fetch('http://127.0.0.1:4611/readyz'); process.exit(r.ok ? 0 : 1)"]
# Started directly, so that the stop signal reaches the service itself.
ENTRYPOINT ["bun", "src/main.ts"]
