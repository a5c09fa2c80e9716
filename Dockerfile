# Two images from one file: `tower` (the service, the default) and `measure` (the measuring command, for repositories' workflows).
# Every tool is an exact version in src/measure/package.json and bun.lock; a tool changes only together with this file.

FROM debian:bookworm-slim AS bun
RUN apt-get update \
 && apt-get install -y --no-install-recommends ca-certificates nodejs npm \
 && rm -rf /var/lib/apt/lists/*
# One package by its name: the package `bun` brings one for each C library, and its post-install script picks by the machine that
# builds. An image moves between machines, so on amd64 it is the one for every processor of that kind; on arm64 there is no other.
RUN case "$(dpkg --print-architecture)" in amd64) kind=x64-baseline ;; arm64) kind=aarch64 ;; *) exit 1 ;; esac \
 && npm install --ignore-scripts --prefix /opt/bun "@oven/bun-linux-$kind@1.4.5" \
 && install "/opt/bun/node_modules/@oven/bun-linux-$kind/bin/bun" /usr/local/bin/bun \
 && rm -rf /opt/bun \
 && bun --version
WORKDIR /tower
COPY package.json bun.lock bunfig.toml ./
COPY src/measure/package.json src/measure/
RUN bun install --frozen-lockfile --production --ignore-scripts
# The packages of the measuring command alone. One that is missing for this machine's kind fails here: it does not fail an install.
RUN mkdir -p /measure/node_modules \
 && cd node_modules \
 && cp -R --parents jscpd-linux-*-gnu web-tree-sitter @vscode/tree-sitter-wasm valibot \
    tree-sitter-c/package.json tree-sitter-c/tree-sitter-c.wasm /measure/node_modules/

FROM debian:bookworm-slim AS base
RUN apt-get update \
 && apt-get install -y --no-install-recommends ca-certificates git \
 && rm -rf /var/lib/apt/lists/*
COPY --from=bun /usr/local/bin/bun /usr/local/bin/bun
WORKDIR /tower

FROM base AS measure
COPY package.json bunfig.toml ./
COPY --from=bun /measure/node_modules node_modules
RUN node_modules/jscpd-linux-*-gnu/bin/jscpd --version
COPY src/base/base.ts src/base/command_line.ts src/base/contract.ts src/base/files.ts src/base/http_client.ts src/base/repository.ts src/base/text.ts src/base/time.ts src/base/
COPY src/reports/measures.ts src/reports/
COPY src/measure src/measure
# A report that could not be posted is not said to be kept in a folder that goes with the container.
ENV MEASURE_IN_CONTAINER=1
USER 10001
# A workflow may start it in the checkout: the checkout's .env and bunfig.toml, which can name code to load, are not obeyed.
ENTRYPOINT ["bun", "--no-env-file", "--config=/tower/bunfig.toml", "/tower/src/measure/main.ts"]

FROM base AS tower
RUN useradd --uid 10001 --user-group --home-dir /data --no-create-home tower \
 && mkdir -m 0700 /data \
 && chown 10001:10001 /data
COPY package.json bun.lock bunfig.toml tsconfig.json ./
COPY --from=bun /tower/node_modules node_modules
COPY drizzle drizzle
COPY public public
COPY .github/docs .github/docs
COPY src src
# What `tower action write` puts into a repository: the action, and the measuring image's own description.
COPY Dockerfile .dockerignore ./
COPY .github/actions .github/actions
# What browsers load is that of the packages installed, whatever was checked in.
RUN bun src/tower/vendor.ts
RUN bun src/app/build.ts
USER tower
# In a container only what `docker run -p` publishes is reached from outside, so both listeners answer on every address of it.
# TOWER_CONTAINER is the name in `docker run --name`: the commands that the Tower shows reach the ingest through it.
# Memory that was freed is given back after half a second: at once, as by default, a fifth of what a tick of pulls takes goes into that.
ENV DATA_DIR=/data \
    MIMALLOC_PURGE_DELAY=500 \
    INGEST_HOST=0.0.0.0 \
    TOWER_HOST=0.0.0.0 \
    TOWER_PLAIN_HTTP=1 \
    TOWER_CONTAINER=tower \
    NODE_ENV=production
VOLUME /data
EXPOSE 4610 4611
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=3s --start-period=5s \
  CMD ["bun", "-e", "const r = await fetch('http://127.0.0.1:4611/readyz'); process.exit(r.ok ? 0 : 1)"]
# Started directly, so that the stop signal reaches the service itself.
ENTRYPOINT ["bun", "src/main.ts"]
