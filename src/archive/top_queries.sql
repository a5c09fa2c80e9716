-- The ten queries of every site that were clicked most within a year, for DuckDB. Sums of rows are of what search console tells of:
-- rare queries are left out and long reports end early, so they are never a site's total.
SET VARIABLE archive = coalesce(getvariable('archive'), 'raw-signals');

-- Of each date the newest whole report: a later one, with late data, takes the place of those before it.
CREATE OR REPLACE TEMP TABLE report AS
SELECT asset, date, getvariable('archive') || '/' || path AS file
FROM read_json(
  getvariable('archive') || '/manifest/*/*.ndjson.gz',
  format = 'newline_delimited',
  columns = {id: 'BIGINT', asset: 'VARCHAR', provider: 'VARCHAR', family: 'VARCHAR', date: 'DATE',
    attempted_at: 'TIMESTAMPTZ', complete: 'BOOLEAN', path: 'VARCHAR'}
)
WHERE provider = 'search-console' AND family = 'query' AND complete AND path IS NOT NULL
  AND date > (current_date - INTERVAL 1 YEAR)
QUALIFY row_number() OVER (PARTITION BY asset, date ORDER BY attempted_at DESC, id DESC) = 1;

-- By name, so that nothing has to be listed. An object is the provider's answers, one after the other.
SET VARIABLE files = (SELECT list(DISTINCT file) FROM report);

WITH told AS (
  SELECT filename AS file, unnest(rows) AS told
  FROM read_json(
    getvariable('files'),
    format = 'unstructured',
    compression = 'gzip',
    columns = {rows: 'STRUCT(keys VARCHAR[], clicks DOUBLE, impressions DOUBLE)[]'},
    filename = true
  )
)
SELECT asset, told.keys[1] AS query, sum(told.clicks)::BIGINT AS clicks, sum(told.impressions)::BIGINT AS impressions,
  count(*) AS days
FROM told JOIN report USING (file)
GROUP BY asset, query
QUALIFY row_number() OVER (PARTITION BY asset ORDER BY clicks DESC, impressions DESC, query) <= 10
ORDER BY asset, clicks DESC, impressions DESC, query;
