-- Pairs of old and new definitions, and what CREATE OR REPLACE may do about each. A definition is a query, or what
-- follows the table's name. Refusals are told by words that the reason has.
-- o(id, k, v, d, s, tags), p(k, name, w), views big (id, v, shout) and totals (k, n)

-- nothing is changed
--> unchanged
SELECT id, v FROM o;
SELECT id, v FROM o;

-- white space and comments
--> unchanged
SELECT id, v FROM o WHERE v > 1;
SELECT id, -- the key
       v   /* the value */
FROM o
WHERE v > 1;

-- case of keywords and names
--> unchanged
SELECT id, sum(v) OVER (PARTITION BY k ORDER BY id ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS x FROM o;
select ID, SUM(V) over (partition by K order by ID rows between 1 preceding and current row) as X from o;

-- backticks
--> unchanged
SELECT id, v AS x FROM o;
SELECT `id`, `o`.`v` AS `x` FROM o;

-- redundant parentheses
--> unchanged
SELECT id, v + 1 AS x FROM o WHERE v > 1 AND k = 2 AND id > 3;
(SELECT (id), ((v) + 1) AS x FROM o WHERE ((v > 1) AND (k = 2 AND (id > 3))));

-- parentheses that matter
--> refused: column x
SELECT id, v + k * 2 AS x FROM o;
SELECT id, (v + k) * 2 AS x FROM o;

-- alias of a table
--> unchanged
SELECT a.id, b.name FROM o a JOIN p b ON a.k = b.k WHERE b.w > 1;
SELECT x.id, y.name FROM o AS x JOIN p AS y ON x.k = y.k WHERE y.w > 1;

-- aliases that change places
--> refused: column id
SELECT a.id, b.id AS other FROM o a JOIN o b ON a.k = b.v;
SELECT a.id, b.id AS other FROM o b JOIN o a ON b.k = a.v;

-- columns with their tables
--> unchanged
SELECT id, name FROM o JOIN p ON o.k = p.k;
SELECT o.id, p.name FROM o JOIN p ON o.k = p.k;

-- alias of a table inside a correlated subquery
--> unchanged
SELECT id FROM o a WHERE EXISTS (SELECT 1 FROM p b WHERE b.k = a.k);
SELECT id FROM o x WHERE EXISTS (SELECT 1 FROM p y WHERE y.k = x.k);

-- order of conditions
--> unchanged
SELECT id FROM o WHERE v > 1 AND k = 2 AND s LIKE 'a%';
SELECT id FROM o WHERE s LIKE 'a%' AND k = 2 AND v > 1;

-- order of join conditions
--> unchanged
SELECT o.id FROM o JOIN p ON o.k = p.k AND o.v > p.w;
SELECT o.id FROM o JOIN p ON o.v > p.w AND o.k = p.k;

-- order of keys of GROUP BY
--> unchanged
SELECT k, s, count(*) AS n FROM o GROUP BY k, s;
SELECT k, s, count(*) AS n FROM o GROUP BY s, k;

-- positions in GROUP BY
--> unchanged
SELECT k, s, count(*) AS n FROM o GROUP BY k, s;
SELECT k, s, count(*) AS n FROM o GROUP BY 1, 2;

-- ORDER BY at the top
--> unchanged
SELECT id, v FROM o;
SELECT id, v FROM o ORDER BY v DESC;

-- ORDER BY outside of parentheses
--> unchanged
SELECT id, v FROM o ORDER BY v;
(SELECT id, v FROM o) ORDER BY id;

-- INNER and OUTER
--> unchanged
SELECT o.id FROM o JOIN p ON o.k = p.k LEFT JOIN p q ON q.k = p.w;
SELECT o.id FROM o INNER JOIN p ON o.k = p.k LEFT OUTER JOIN p q ON q.k = p.w;

-- USING for ON
--> unchanged
SELECT o.id, p.name FROM o JOIN p USING (k);
SELECT o.id, p.name FROM o JOIN p ON o.k = p.k;

-- a star for its columns
--> unchanged
SELECT * FROM p;
SELECT k, name, w FROM p;

-- TABLE for SELECT
--> unchanged
TABLE p;
SELECT * FROM p;

-- listed columns for aliases
--> unchanged
(a, b) AS SELECT id, v FROM o;
SELECT id AS a, v AS b FROM o;

-- name of a CTE
--> unchanged
WITH a AS (SELECT id, v FROM o WHERE v > 1) SELECT id, v FROM a;
WITH b AS (SELECT id, v FROM o WHERE v > 1) SELECT id, v FROM b;

-- order of columns
--> unchanged
SELECT id, k, v FROM o;
SELECT v, id, k FROM o;

-- order of columns that are grouped
--> unchanged
SELECT k, s, count(*) AS n FROM o GROUP BY 1, 2;
SELECT count(*) AS n, s, k FROM o GROUP BY 2, 3;

-- order of columns under listed names
--> refused: column a
(a, b) AS SELECT k, v FROM o;
(a, b) AS SELECT v, k FROM o;

-- settings
--> unchanged
SELECT id FROM o;
REFRESH INTERVAL 5 MINUTE COMMENT 'c' PROPERTIES ('a' = 'b') REFRESH_MODE = FULL AS SELECT id FROM o;

-- spelling of partitions
--> unchanged
PARTITIONED BY (k, bucket(4, id)) AS SELECT id, k FROM o;
PARTITIONED BY (`k`, BUCKET( 4, ID )) AS SELECT id, k FROM o;

-- the same union
--> unchanged
SELECT k FROM o UNION ALL SELECT k FROM p;
select k from o union all select k from p order by k;

-- spelling of a generator of two columns
--> unchanged
SELECT id, posexplode(tags) AS (n, tag) FROM o;
select id, posexplode(tags) as (n, tag) from o;

-- a condition is added
--> waits: where
SELECT id, v FROM o;
SELECT id, v FROM o WHERE v > 1;

-- a condition is removed
--> waits: where
SELECT id, v FROM o WHERE v > 1;
SELECT id, v FROM o;

-- a constant in a condition
--> waits: where
SELECT id, v FROM o WHERE s = 'done';
SELECT id, v FROM o WHERE s = 'DONE';

-- OR for AND
--> waits: where
SELECT id FROM o WHERE v > 1 AND k = 2;
SELECT id FROM o WHERE v > 1 OR k = 2;

-- a condition above a join
--> waits: where
SELECT o.id, p.name FROM o JOIN p ON o.k = p.k WHERE p.w > 1;
SELECT o.id, p.name FROM o JOIN p ON o.k = p.k WHERE p.w > 1 AND o.v < 5;

-- a condition below GROUP BY
--> waits: where
SELECT k, count(*) AS n FROM o GROUP BY k;
SELECT k, count(*) AS n FROM o WHERE v > 1 GROUP BY k;

-- a condition below one total
--> waits: where
SELECT sum(v) AS t FROM o;
SELECT sum(v) AS t FROM o WHERE v > 1;

-- a condition below DISTINCT
--> waits: where
SELECT DISTINCT k FROM o;
SELECT DISTINCT k FROM o WHERE v > 1;

-- a condition below a window function
--> waits: where
SELECT id, rank() OVER (PARTITION BY k ORDER BY v) AS r FROM o WHERE v > 1;
SELECT id, rank() OVER (PARTITION BY k ORDER BY v) AS r FROM o WHERE v > 2;

-- a condition below LIMIT
--> waits: where
SELECT id FROM o WHERE v > 1 ORDER BY id LIMIT 5;
SELECT id FROM o WHERE v > 2 ORDER BY id LIMIT 5;

-- a condition beside an unchanged subquery
--> waits: where
SELECT id FROM o WHERE k IN (SELECT k FROM p);
SELECT id FROM o WHERE k IN (SELECT p.k FROM p) AND v > 1;

-- the opposite of a subquery
--> waits: where
SELECT id FROM o WHERE EXISTS (SELECT 1 FROM p WHERE p.k = o.k);
SELECT id FROM o WHERE NOT EXISTS (SELECT 1 FROM p WHERE p.k = o.k);

-- a condition after CTEs
--> waits: where
WITH a AS (SELECT id, v FROM o) SELECT id, v FROM a;
WITH a AS (SELECT id, v FROM o) SELECT id, v FROM a WHERE v > 1;

-- a condition on a view
--> waits: where
SELECT id, shout FROM big;
SELECT id, shout FROM big WHERE v < 9;

-- a column is added
--> waits: +s
SELECT id, v FROM o;
SELECT id, v, s FROM o;

-- a column is added in the middle
--> waits: +k
SELECT id, v FROM o;
SELECT id, k, v FROM o;

-- a column is added under another name
--> waits: +label
SELECT id, v FROM o;
SELECT id, v, s AS label FROM o;

-- a column is added under a listed name
--> waits: +c
(a, b) AS SELECT id, v FROM o;
(a, b, c) AS SELECT id, v, s FROM o;

-- the same column once more
--> waits: +again
SELECT id, v FROM o;
SELECT id, v, v AS again FROM o;

-- columns become a star
--> waits: +w
SELECT k, name FROM p;
SELECT * FROM p;

-- a column is removed
--> waits: -v
SELECT id, v FROM o;
SELECT id FROM o;

-- a column is renamed
--> waits: +y, -x
SELECT id, v AS x FROM o;
SELECT id, v AS y FROM o;

-- no column stays
--> waits: +v, -id
SELECT id FROM o;
SELECT v FROM o;

-- column and condition
--> waits: +s, -v, where
SELECT id, v FROM o;
SELECT id, s FROM o WHERE v > 1;

-- a column of the joined table
--> waits: +w
SELECT o.id, p.name FROM o JOIN p ON o.k = p.k;
SELECT o.id, p.name, p.w FROM o JOIN p ON o.k = p.k;

-- a column of the side that may be missing
--> waits: +w
SELECT o.id, p.name FROM o LEFT JOIN p ON o.k = p.k;
SELECT o.id, p.name, p.w FROM o LEFT JOIN p ON o.k = p.k;

-- a column of a full join
--> waits: +v, -w
SELECT o.id, p.w FROM o FULL JOIN p ON o.k = p.k;
SELECT o.id, o.v FROM o FULL JOIN p ON o.k = p.k;

-- a column beside computed ones
--> waits: +s
SELECT id, v * 2 AS x FROM o;
SELECT id, v * 2 AS x, s FROM o;

-- a column beside a window function
--> waits: +s
SELECT id, rank() OVER (PARTITION BY k ORDER BY v) AS r FROM o;
SELECT id, s, rank() OVER (PARTITION BY k ORDER BY v) AS r FROM o;

-- a column beside QUALIFY
--> waits: +s
SELECT id FROM o QUALIFY row_number() OVER (PARTITION BY k ORDER BY id) = 1;
SELECT id, s FROM o QUALIFY row_number() OVER (PARTITION BY k ORDER BY id) = 1;

-- a column beside a generator
--> waits: +s
SELECT id, explode(tags) AS tag FROM o;
SELECT id, s, explode(tags) AS tag FROM o;

-- a column under LIMIT
--> waits: +s
SELECT id, v FROM o ORDER BY 1 LIMIT 5;
SELECT s, id, v FROM o ORDER BY 2 LIMIT 5;

-- a column through a subquery
--> waits: +v
SELECT q.id FROM (SELECT id, v, s FROM o WHERE v > 1) q;
SELECT q.id, q.v FROM (SELECT id, v, s FROM o WHERE v > 1) q;

-- a column through two CTEs
--> waits: +x
WITH a AS (SELECT id, v AS x FROM o), b AS (SELECT a.id, a.x, p.name FROM a JOIN p ON a.id = p.k) SELECT id FROM b;
WITH a AS (SELECT id, v AS x FROM o), b AS (SELECT a.id, a.x, p.name FROM a JOIN p ON a.id = p.k) SELECT id, x FROM b;

-- a column through a view
--> waits: +v
SELECT id FROM big;
SELECT id, v FROM big;

-- a column computed in a view
--> refused: column shout is computed in big
SELECT id FROM big;
SELECT id, shout FROM big;

-- a column counted in a view
--> refused: column n is computed in totals
SELECT k FROM totals;
SELECT k, n FROM totals;

-- a key of a view that groups
--> refused: column k is computed in totals
SELECT n FROM totals;
SELECT k, n FROM totals;

-- a column beside a window function inside a subquery
--> refused: column s is computed in q
SELECT q.id FROM (SELECT id, s, row_number() OVER (PARTITION BY k ORDER BY id) AS r FROM o) q WHERE q.r = 1;
SELECT q.id, q.s FROM (SELECT id, s, row_number() OVER (PARTITION BY k ORDER BY id) AS r FROM o) q WHERE q.r = 1;

-- a column through a union
--> refused: column v is computed in q
SELECT q.k FROM (SELECT k, v FROM o UNION ALL SELECT k, w FROM p) q;
SELECT q.k, q.v FROM (SELECT k, v FROM o UNION ALL SELECT k, w FROM p) q;

-- a column through DISTINCT
--> refused: column v is computed in q
SELECT q.k FROM (SELECT DISTINCT k, v FROM o) q;
SELECT q.k, q.v FROM (SELECT DISTINCT k, v FROM o) q;

-- a column through LIMIT
--> refused: column v is computed in q
SELECT q.k FROM (SELECT k, v FROM o ORDER BY id LIMIT 9) q;
SELECT q.k, q.v FROM (SELECT k, v FROM o ORDER BY id LIMIT 9) q;

-- a column of LATERAL VIEW
--> refused: column tag is computed in g
SELECT o.id FROM o LATERAL VIEW explode(tags) g AS tag;
SELECT o.id, g.tag FROM o LATERAL VIEW explode(tags) g AS tag;

-- a column of a recursive CTE
--> refused: column m is computed in r
WITH RECURSIVE r(n, m) AS (SELECT 1, 1 UNION ALL SELECT n + 1, m * 2 FROM r WHERE n < 5) SELECT r.n FROM r JOIN o ON o.id = r.n;
WITH RECURSIVE r(n, m) AS (SELECT 1, 1 UNION ALL SELECT n + 1, m * 2 FROM r WHERE n < 5) SELECT r.n, r.m FROM r JOIN o ON o.id = r.n;

-- a column of VALUES
--> refused: column b is computed in c
SELECT o.id, c.a FROM o JOIN VALUES (1, 2) AS c(a, b) ON o.id = c.a;
SELECT o.id, c.a, c.b FROM o JOIN VALUES (1, 2) AS c(a, b) ON o.id = c.a;

-- a field of a column
--> refused: column first is computed
SELECT id FROM o;
SELECT id, tags[0] AS first FROM o;

-- a column of both sides of a full join
--> refused: column k is computed
SELECT id FROM o FULL JOIN p USING (k);
SELECT k, id FROM o FULL JOIN p USING (k);

-- avg_price
--> refused: column avg_price is an aggregate, and cannot be added
SELECT k, count(*) AS n, sum(v) AS total FROM o GROUP BY k;
SELECT k, count(*) AS n, sum(v) AS total, avg(v) AS avg_price FROM o GROUP BY k;

-- an aggregate is another one
--> refused: column t of lake.p.d cannot be changed in place: it is an aggregate
SELECT k, sum(v) AS t FROM o GROUP BY k;
SELECT k, max(v) AS t FROM o GROUP BY k;

-- an aggregate of another column
--> refused: column t
SELECT k, sum(v) AS t FROM o GROUP BY k;
SELECT k, sum(id) AS t FROM o GROUP BY k;

-- a filter of an aggregate
--> refused: column n
SELECT k, count(*) FILTER (WHERE v > 1) AS n FROM o GROUP BY k;
SELECT k, count(*) FILTER (WHERE v > 2) AS n FROM o GROUP BY k;

-- an aggregate is removed
--> refused: column n is an aggregate, and cannot be removed
SELECT k, sum(v) AS t, count(*) AS n FROM o GROUP BY k;
SELECT k, sum(v) AS t FROM o GROUP BY k;

-- a computed column is added
--> refused: column x is computed, and cannot be added
SELECT id FROM o;
SELECT id, v + 1 AS x FROM o;

-- a constant is added
--> refused: column one is computed
SELECT id FROM o;
SELECT id, 1 AS one FROM o;

-- a computed column is another one
--> refused: column x of lake.p.d cannot be changed in place: it is computed
SELECT id, v + 1 AS x FROM o;
SELECT id, v + 2 AS x FROM o;

-- a string of a computed column
--> refused: column x
SELECT id, concat(s, 'a') AS x FROM o;
SELECT id, concat(s, 'A') AS x FROM o;

-- a computed column is removed
--> refused: column x is computed, and cannot be removed
SELECT id, v + 1 AS x FROM o;
SELECT id FROM o;

-- a computed column is renamed
--> refused: column y is computed
SELECT id, v + 1 AS x FROM o;
SELECT id, v + 1 AS y FROM o;

-- another column under the same name
--> refused: column x of lake.p.d cannot be changed in place: it would come from another column
SELECT id, v AS x FROM o;
SELECT id, k AS x FROM o;

-- a column becomes computed
--> refused: column v of lake.p.d cannot be changed in place: it would be computed
SELECT id, v FROM o;
SELECT id, coalesce(v, k) AS v FROM o;

-- a computed column becomes plain
--> refused: column v of lake.p.d cannot be changed in place: it is computed
SELECT id, coalesce(v, k) AS v FROM o;
SELECT id, v FROM o;

-- a type
--> refused: column v of lake.p.d is INT, and its type cannot be changed to BIGINT
SELECT id, v FROM o;
SELECT id, CAST(v AS BIGINT) AS v FROM o;

-- a scalar subquery is added
--> refused: column m is a subquery
SELECT id, k FROM o WHERE k IN (SELECT k FROM p);
SELECT id, k, (SELECT max(w) FROM p) AS m FROM o WHERE k IN (SELECT k FROM p);

-- a window function is added
--> refused: column r is a window function
SELECT id, v FROM o;
SELECT id, v, rank() OVER (ORDER BY v) AS r FROM o;

-- the order of a window
--> refused: column r
SELECT id, rank() OVER (PARTITION BY k ORDER BY v) AS r FROM o;
SELECT id, rank() OVER (PARTITION BY k ORDER BY v DESC) AS r FROM o;

-- a named window
--> refused: WINDOW
SELECT id, rank() OVER w AS r FROM o WINDOW w AS (PARTITION BY k ORDER BY v);
SELECT id, rank() OVER w AS r FROM o WINDOW w AS (PARTITION BY s ORDER BY v);

-- one more key
--> refused: GROUP BY
SELECT k, count(*) AS n FROM o GROUP BY k;
SELECT k, s, count(*) AS n FROM o GROUP BY k, s;

-- one key less
--> refused: GROUP BY
SELECT k, s, count(*) AS n FROM o GROUP BY k, s;
SELECT k, count(*) AS n FROM o GROUP BY k;

-- a key is no longer selected
--> refused: column s is a GROUP BY key, and cannot be removed
SELECT k, s, count(*) AS n FROM o GROUP BY k, s;
SELECT k, count(*) AS n FROM o GROUP BY k, s;

-- a key is selected now
--> refused: column s is a GROUP BY key, and cannot be added
SELECT k, count(*) AS n FROM o GROUP BY k, s;
SELECT k, s, count(*) AS n FROM o GROUP BY k, s;

-- a key of GROUP BY ALL
--> refused: column s is a GROUP BY key
SELECT k, count(*) AS n FROM o GROUP BY ALL;
SELECT k, s, count(*) AS n FROM o GROUP BY ALL;

-- ROLLUP
--> refused: GROUP BY
SELECT k, s, count(*) AS n FROM o GROUP BY k, s;
SELECT k, s, count(*) AS n FROM o GROUP BY ROLLUP (k, s);

-- order of keys of ROLLUP
--> refused: GROUP BY
SELECT k, s, count(*) AS n FROM o GROUP BY k, s WITH ROLLUP;
SELECT k, s, count(*) AS n FROM o GROUP BY s, k WITH ROLLUP;

-- groups are taken away
--> refused: GROUP BY
SELECT k, s FROM o GROUP BY k, s;
SELECT k, s FROM o;

-- HAVING is added
--> refused: HAVING
SELECT k, count(*) AS n FROM o GROUP BY k;
SELECT k, count(*) AS n FROM o GROUP BY k HAVING count(*) > 1;

-- HAVING for WHERE
--> refused: HAVING
SELECT k, count(*) AS n FROM o WHERE k > 1 GROUP BY k;
SELECT k, count(*) AS n FROM o GROUP BY k HAVING k > 1;

-- QUALIFY
--> refused: QUALIFY
SELECT id FROM o QUALIFY row_number() OVER (PARTITION BY k ORDER BY id) = 1;
SELECT id FROM o QUALIFY row_number() OVER (PARTITION BY k ORDER BY id) = 2;

-- DISTINCT is added
--> refused: DISTINCT
SELECT k, v FROM o;
SELECT DISTINCT k, v FROM o;

-- a column under DISTINCT
--> refused: column s is one of the columns of DISTINCT, and cannot be added
SELECT DISTINCT k FROM o;
SELECT DISTINCT k, s FROM o;

-- a column under DISTINCT goes
--> refused: column s is one of the columns of DISTINCT, and cannot be removed
SELECT DISTINCT k, s FROM o;
SELECT DISTINCT k FROM o;

-- LIMIT is added
--> refused: LIMIT
SELECT id FROM o;
SELECT id FROM o LIMIT 5;

-- another LIMIT
--> refused: LIMIT
SELECT id FROM o LIMIT 5;
SELECT id FROM o LIMIT 6;

-- ORDER BY under LIMIT
--> refused: ORDER BY under LIMIT
SELECT id, v FROM o ORDER BY id LIMIT 5;
SELECT id, v FROM o ORDER BY v LIMIT 5;

-- positions in ORDER BY under LIMIT
--> refused: ORDER BY under LIMIT
SELECT id, v FROM o ORDER BY 1 LIMIT 5;
SELECT v, id FROM o ORDER BY 1 LIMIT 5;

-- LIMIT outside of parentheses
--> refused: LIMIT
(SELECT id FROM o ORDER BY id) LIMIT 5;
(SELECT id FROM o ORDER BY v) LIMIT 5;

-- OFFSET
--> refused: OFFSET
SELECT id FROM o;
SELECT id FROM o OFFSET 5;

-- a clause that is not looked at
--> refused: DISTRIBUTE
SELECT id FROM o;
SELECT id FROM o DISTRIBUTE BY id;

-- a hint
--> refused: the hint
SELECT o.id FROM o JOIN p ON o.k = p.k;
SELECT /*+ BROADCAST(p) */ o.id FROM o JOIN p ON o.k = p.k;

-- another table
--> refused: lake.p.p
SELECT k FROM o;
SELECT k FROM p;

-- a table is joined
--> refused: lake.p.d does not read lake.p.p, and a source cannot be added
SELECT o.id FROM o;
SELECT o.id FROM o JOIN p ON o.k = p.k;

-- a join is taken away
--> refused: lake.p.d would no longer read lake.p.p
SELECT o.id FROM o LEFT JOIN p ON o.k = p.k;
SELECT o.id FROM o;

-- a table is joined once more
--> refused: JOIN
SELECT o.id FROM o JOIN p ON o.k = p.k;
SELECT o.id FROM o JOIN p ON o.k = p.k JOIN p q ON q.w = p.w;

-- kind of join
--> refused: JOIN
SELECT o.id, p.name FROM o JOIN p ON o.k = p.k;
SELECT o.id, p.name FROM o LEFT JOIN p ON o.k = p.k;

-- condition of a join
--> refused: JOIN
SELECT o.id, p.name FROM o JOIN p ON o.k = p.k;
SELECT o.id, p.name FROM o JOIN p ON o.k = p.w;

-- tables change places
--> refused: FROM
SELECT o.id, p.name FROM o LEFT JOIN p ON o.k = p.k;
SELECT o.id, p.name FROM p LEFT JOIN o ON o.k = p.k;

-- a LATERAL VIEW is added
--> refused: LATERAL VIEW
SELECT id FROM o;
SELECT id FROM o LATERAL VIEW explode(tags) g AS tag;

-- PIVOT
--> refused: FROM
SELECT * FROM (SELECT k, s, v FROM o) PIVOT (sum(v) FOR s IN ('a', 'b'));
SELECT * FROM (SELECT k, s, v FROM o) PIVOT (max(v) FOR s IN ('a', 'b'));

-- a subquery in FROM
--> refused: the subquery q
SELECT q.id FROM (SELECT id, v FROM o WHERE v > 1) q;
SELECT q.id FROM (SELECT id, v FROM o WHERE v > 2) q;

-- a CTE
--> refused: WITH a
WITH a AS (SELECT id, v FROM o WHERE v > 1) SELECT id FROM a;
WITH a AS (SELECT id, v FROM o WHERE v > 2) SELECT id FROM a;

-- a CTE below another
--> refused: WITH b
WITH a AS (SELECT id, v FROM o WHERE v > 1), b AS (SELECT id FROM a) SELECT id FROM b;
WITH a AS (SELECT id, v FROM o WHERE v > 2), b AS (SELECT id FROM a) SELECT id FROM b;

-- a step of a pipe
--> refused: FROM of lake.p.d
FROM o |> WHERE v > 1 |> SELECT id;
FROM o |> WHERE v > 2 |> SELECT id;

-- a column inside a CTE
--> refused: WITH a
WITH a AS (SELECT id FROM o) SELECT id FROM a;
WITH a AS (SELECT id, v FROM o) SELECT id, v FROM a;

-- two CTEs exchange their names
--> refused: WITH
WITH a AS (SELECT k AS x FROM o), b AS (SELECT k AS x FROM p) SELECT a.x FROM a JOIN b ON a.x = b.x;
WITH b AS (SELECT k AS x FROM o), a AS (SELECT k AS x FROM p) SELECT a.x FROM a JOIN b ON a.x = b.x;

-- a subquery of WHERE over another table
--> refused: lake.p.d does not read lake.p.p, and a source cannot be added
SELECT id FROM o;
SELECT id FROM o WHERE k IN (SELECT k FROM p);

-- a subquery of WHERE over the same table
--> refused: the new WHERE of lake.p.d has a subquery
SELECT id FROM o WHERE v > 1;
SELECT id FROM o WHERE v > (SELECT avg(v) FROM o);

-- a subquery of WHERE is another one
--> refused: the new WHERE of lake.p.d has a subquery
SELECT id FROM o WHERE k IN (SELECT k FROM p);
SELECT id FROM o WHERE k IN (SELECT k FROM p WHERE w > 1);

-- a subquery of WHERE is taken away
--> refused: the old WHERE of lake.p.d has a subquery
SELECT id FROM o WHERE v > (SELECT avg(v) FROM o);
SELECT id FROM o WHERE v > 1;

-- a subquery of WHERE reads another CTE
--> refused: the new WHERE of lake.p.d has a subquery
WITH a AS (SELECT k FROM p WHERE w > 1) SELECT id FROM o WHERE k IN (SELECT k FROM a);
WITH a AS (SELECT k FROM p WHERE w > 2) SELECT id FROM o WHERE k IN (SELECT k FROM a);

-- a union is added
--> refused: UNION ALL
SELECT k FROM o;
SELECT k FROM o UNION ALL SELECT k FROM o;

-- UNION for UNION ALL
--> refused: UNION
SELECT k FROM o UNION ALL SELECT k FROM p;
SELECT k FROM o UNION SELECT k FROM p;

-- a condition in a union
--> refused: UNION ALL
SELECT k FROM o UNION ALL SELECT k FROM p;
SELECT k FROM o WHERE v > 1 UNION ALL SELECT k FROM p;

-- a column in a union
--> refused: UNION ALL
SELECT k FROM o UNION ALL SELECT k FROM p;
SELECT k, v FROM o UNION ALL SELECT k, w FROM p;

-- sides of EXCEPT
--> refused: EXCEPT
SELECT k FROM o EXCEPT SELECT k FROM p;
SELECT k FROM p EXCEPT SELECT k FROM o;

-- INTERSECT for a semi join
--> refused: INTERSECT
SELECT k FROM o LEFT SEMI JOIN p ON o.k = p.k;
SELECT k FROM o INTERSECT SELECT k FROM p;

-- a generator of two columns
--> refused: has changed, and Headrace cannot determine how
SELECT id, posexplode(tags) AS (n, tag) FROM o;
SELECT id, posexplode(tags) AS (n, tag) FROM o WHERE v > 1;

-- what cannot be followed
--> refused: has changed, and Headrace cannot determine how
SELECT id, transform(tags, X -> upper(x)) AS t FROM o;
SELECT id, transform(tags, X -> upper(x)) AS t FROM o WHERE v > 1;

-- partitions
--> refused: PARTITIONED BY
PARTITIONED BY (k) AS SELECT id, k FROM o;
PARTITIONED BY (bucket(4, k)) AS SELECT id, k FROM o;

-- partitions are added
--> refused: PARTITIONED BY
SELECT id, k FROM o;
PARTITIONED BY (k) AS SELECT id, k FROM o;

-- clusters
--> refused: CLUSTERED BY
CLUSTERED BY (k) AS SELECT id, k FROM o;
CLUSTERED BY (id) AS SELECT id, k FROM o;
