-- projection
SELECT a + 1 AS a1, upper(b) AS ub FROM lake.p.t;

-- filter
SELECT * FROM lake.p.t WHERE a > 1 OR b IS NULL;

-- inner join
SELECT t.a, t.b, u.k FROM lake.p.t t JOIN lake.p.u u ON t.a = u.a;

-- three-way join
SELECT t.b, u.k, v.b AS vb FROM lake.p.t t JOIN lake.p.u u ON t.a = u.a JOIN lake.p.v v ON u.k = v.k;

-- self join
SELECT x.a, y.b FROM lake.p.t x JOIN lake.p.t y ON x.a = y.a AND x.b <> y.b;

-- non-equi join
SELECT t.a, u.k FROM lake.p.t t JOIN lake.p.u u ON t.a < u.a;

-- cross join
SELECT t.a, v.b FROM lake.p.t t CROSS JOIN lake.p.v v;

-- left join
SELECT t.a, t.b, u.k FROM lake.p.t t LEFT JOIN lake.p.u u ON t.a = u.a;

-- left join, non-equi
SELECT t.a, u.k FROM lake.p.t t LEFT JOIN lake.p.u u ON t.a < u.k AND u.a > 1;

-- right join
SELECT t.a, u.k FROM lake.p.t t RIGHT JOIN lake.p.u u ON t.a = u.a;

-- full join
SELECT t.a, t.b, u.a AS ua, u.k FROM lake.p.t t FULL JOIN lake.p.u u ON t.a = u.a;

-- left join of left join
SELECT t.a, u.k, v.b FROM lake.p.t t LEFT JOIN lake.p.u u ON t.a = u.a LEFT JOIN lake.p.v v ON u.k =
v.k;

-- exists
SELECT a, b FROM lake.p.t t WHERE EXISTS (SELECT 1 FROM lake.p.u u WHERE u.a = t.a AND u.k > 1);

-- not exists
SELECT a, b FROM lake.p.t t WHERE NOT EXISTS (SELECT 1 FROM lake.p.u u WHERE u.a = t.a);

-- exists, non-equi
SELECT a, b FROM lake.p.t t WHERE EXISTS (SELECT 1 FROM lake.p.u u WHERE u.a > t.a);

-- in
SELECT a, b FROM lake.p.t WHERE a IN (SELECT k FROM lake.p.u);

-- not in
SELECT a, b FROM lake.p.t WHERE a NOT IN (SELECT k FROM lake.p.u);

-- not in, correlated
SELECT a, b FROM lake.p.t t WHERE a NOT IN (SELECT k FROM lake.p.v v WHERE v.b = t.b);

-- not in an aggregate
SELECT a FROM lake.p.t WHERE a NOT IN (SELECT max(k) FROM lake.p.u GROUP BY a);

-- union all
SELECT a FROM lake.p.t UNION ALL SELECT k FROM lake.p.u;

-- union
SELECT a FROM lake.p.t UNION SELECT k FROM lake.p.u;

-- intersect
SELECT a FROM lake.p.t INTERSECT SELECT k FROM lake.p.u;

-- intersect all
SELECT a FROM lake.p.t INTERSECT ALL SELECT k FROM lake.p.u;

-- except
SELECT a, b FROM lake.p.t EXCEPT SELECT k, b FROM lake.p.v;

-- except all
SELECT a, b FROM lake.p.t EXCEPT ALL SELECT k, b FROM lake.p.v;

-- distinct
SELECT DISTINCT a, b FROM lake.p.t;

-- group by
SELECT a, count(*) AS n, sum(d) AS s, min(b) AS m, avg(d) AS v FROM lake.p.t GROUP BY a;

-- group by an expression
SELECT a + 1 AS k, count(b) + 1 AS n FROM lake.p.t GROUP BY a + 1;

-- group by with filter and distinct
SELECT b, count(*) FILTER (WHERE a > 1) AS n, count(DISTINCT a) AS c, sum(DISTINCT d) AS s FROM
lake.p.t GROUP BY b;

-- global aggregate
SELECT count(*) AS n, sum(d) AS s, max(b) AS m FROM lake.p.t;

-- having
SELECT a, sum(d) AS s FROM lake.p.t GROUP BY a HAVING count(*) > 1;

-- having with a subquery
SELECT a, sum(d) AS s FROM lake.p.t GROUP BY a HAVING sum(d) > (SELECT avg(k) FROM lake.p.u);

-- group by all
SELECT a, b, count(*) AS n FROM lake.p.t GROUP BY ALL;

-- grouping sets
SELECT a, b, sum(d) AS s, grouping(a) AS g FROM lake.p.t GROUP BY GROUPING SETS ((a, b), (b));

-- rollup
SELECT a, b, count(*) AS n, grouping_id(a, b) AS g FROM lake.p.t GROUP BY ROLLUP (a, b) HAVING a IS
NOT NULL;

-- cube
SELECT a, b, count(*) AS n FROM lake.p.t GROUP BY CUBE (a, b) HAVING count(*) > 0;

-- aggregate of a join
SELECT u.k, count(*) AS n, sum(t.d) AS s FROM lake.p.t t JOIN lake.p.u u ON t.a = u.a GROUP BY u.k;

-- aggregate of an aggregate
SELECT n, count(*) AS groups FROM (SELECT a, count(*) AS n FROM lake.p.t GROUP BY a) x GROUP BY n;

-- join of aggregates
SELECT x.a, x.n, y.m FROM (SELECT a, count(*) AS n FROM lake.p.t GROUP BY a) x LEFT JOIN (SELECT a,
max(k) AS m FROM lake.p.u GROUP BY a) y ON x.a = y.a;

-- window
SELECT a, d, sum(d) OVER (PARTITION BY a) AS s, count(*) OVER (PARTITION BY b) AS n FROM lake.p.t;

-- rank
SELECT a, d, rank() OVER (PARTITION BY a ORDER BY d DESC) AS r FROM lake.p.t;

-- window without partition
SELECT a, d, rank() OVER (ORDER BY d) AS r, count(*) OVER () AS n FROM lake.p.t;

-- window over an aggregate
SELECT a, sum(d) AS s, rank() OVER (ORDER BY sum(d) DESC) AS r FROM lake.p.t GROUP BY a;

-- top of each
SELECT a, d FROM (SELECT a, d, rank() OVER (PARTITION BY a ORDER BY d DESC) AS r FROM lake.p.t) x
WHERE r <= 2;

-- qualify
SELECT a, d FROM lake.p.t QUALIFY dense_rank() OVER (PARTITION BY a ORDER BY d) = 1;

-- scalar subquery
SELECT a, d - (SELECT avg(k) FROM lake.p.u) AS x FROM lake.p.t;

-- correlated scalar
SELECT a, (SELECT max(k) FROM lake.p.u u WHERE u.a = t.a) AS m, (SELECT count(*) FROM lake.p.u u
WHERE u.a = t.a) AS n FROM lake.p.t t;

-- scalar in a filter
SELECT a, b FROM lake.p.t t WHERE d > (SELECT sum(k) FROM lake.p.u u WHERE u.a = t.a);

-- cte used twice
WITH c AS (SELECT a, count(*) AS n FROM lake.p.t GROUP BY a) SELECT x.a, y.n FROM c x JOIN c y ON
x.n = y.n;

-- cte shadowing
WITH x AS (SELECT a FROM lake.p.t), y AS (SELECT a FROM x WHERE a > 0) SELECT x.a FROM x JOIN y ON
x.a = y.a;

-- values
SELECT t.a, w.z FROM lake.p.t t JOIN (VALUES (1, 'one'), (2, 'two')) AS w(i, z) ON t.a = w.i;

-- distinct of union of joins
SELECT DISTINCT t.a FROM lake.p.t t JOIN lake.p.u u ON t.a = u.a UNION SELECT k FROM lake.p.v WHERE
b LIKE '%x%';

-- exists under or
SELECT a, b FROM lake.p.t t WHERE EXISTS (SELECT 1 FROM lake.p.u u WHERE u.a = t.a) OR b = 'x';

-- not exists in the select list
SELECT a, NOT EXISTS (SELECT 1 FROM lake.p.u u WHERE u.a = t.a AND u.k > 1) AS e FROM lake.p.t t;

-- in as a value
SELECT a, a IN (SELECT k FROM lake.p.u) AS i, a NOT IN (SELECT k FROM lake.p.v) AS n FROM lake.p.t;

-- correlated in as a value
SELECT a, b, a IN (SELECT k FROM lake.p.v v WHERE v.b = t.b) AS i FROM lake.p.t t;

-- not in under case
SELECT CASE WHEN a NOT IN (SELECT k FROM lake.p.u) THEN 'out' WHEN b IS NULL THEN 'none' ELSE 'in' END
AS w, d FROM lake.p.t;

-- in of pairs
SELECT a, b FROM lake.p.t WHERE (a, b) IN (SELECT k, b FROM lake.p.v) OR d > 0;

-- in grouped by
SELECT a IN (SELECT k FROM lake.p.u) AS i, count(*) AS n FROM lake.p.t GROUP BY a IN (SELECT k FROM
lake.p.u);

-- in aggregated
SELECT b, sum(CASE WHEN a IN (SELECT k FROM lake.p.u) THEN 1 ELSE 0 END) AS n FROM lake.p.t GROUP BY
b;

-- having in
SELECT b, max(a) AS m FROM lake.p.t GROUP BY b HAVING max(a) IN (SELECT k FROM lake.p.u) OR count(*) >
2;

-- exists of groups
SELECT a, b FROM lake.p.t t WHERE EXISTS (SELECT u.k FROM lake.p.u u WHERE u.a = t.a GROUP BY u.k
HAVING count(*) > 1);

-- exists of an aggregate
SELECT a FROM lake.p.t t WHERE EXISTS (SELECT max(k) FROM lake.p.u u WHERE u.a = t.a);

-- exists within exists
SELECT a, b FROM lake.p.t t WHERE EXISTS (SELECT 1 FROM lake.p.u u WHERE u.a = t.a AND NOT EXISTS
(SELECT 1 FROM lake.p.v v WHERE v.k = u.k AND v.b = t.b));

-- in a correlated aggregate
SELECT a, b FROM lake.p.t t WHERE a IN (SELECT max(u.k) FROM lake.p.u u WHERE u.a >= t.a);

-- not in a correlated union
SELECT a, b FROM lake.p.t t WHERE a NOT IN (SELECT k FROM lake.p.u u WHERE u.a = t.a UNION ALL SELECT k
FROM lake.p.v v WHERE v.b = t.b);

-- exists of a correlated except
SELECT a, b FROM lake.p.t t WHERE EXISTS (SELECT k FROM lake.p.u u WHERE u.a = t.a EXCEPT SELECT k FROM
lake.p.v v WHERE v.b = t.b);

-- correlated scalar by inequality
SELECT a, (SELECT count(*) FROM lake.p.u u WHERE u.k < t.a) AS n, (SELECT max(k) + t.a FROM lake.p.u u
WHERE u.a <> t.a) AS m FROM lake.p.t t;

-- correlated scalar with having
SELECT a, (SELECT sum(k) FROM lake.p.u u WHERE u.a = t.a HAVING count(*) > 1) AS s FROM lake.p.t t;

-- correlated scalar with group by
SELECT a, (SELECT sum(k) FROM lake.p.u u WHERE u.a = t.a GROUP BY u.a) AS s FROM lake.p.t t;

-- correlated scalar of unknown emptiness
SELECT a, (SELECT count(DISTINCT k) + count(*) FILTER (WHERE k > 0) FROM lake.p.u u WHERE u.a = t.a) AS
s, (SELECT bool_or(k > 1) FROM lake.p.u u WHERE u.a = t.a) AS o FROM lake.p.t t;

-- scalar of one row
SELECT a, (SELECT DISTINCT k FROM lake.p.u u WHERE u.k = t.a) AS k FROM lake.p.t t;

-- scalar over groups
SELECT a, sum(d) AS s, (SELECT max(k) FROM lake.p.u u WHERE u.a = t.a) AS m FROM lake.p.t t GROUP BY a;

-- scalar within scalar
SELECT a, (SELECT max(k) FROM lake.p.u u WHERE u.a = t.a AND u.k > (SELECT count(*) FROM lake.p.v v
WHERE v.b = t.b)) AS m FROM lake.p.t t;

-- scalar over a window
SELECT a, (SELECT max(r) FROM (SELECT k, rank() OVER (PARTITION BY a ORDER BY k) AS r FROM lake.p.u) x
WHERE x.k = t.a) AS m FROM lake.p.t t;

-- lateral rows
SELECT t.a, x.k FROM lake.p.t t, LATERAL (SELECT k FROM lake.p.u u WHERE u.a = t.a) x;

-- left lateral aggregate
SELECT t.a, x.m, x.n FROM lake.p.t t LEFT JOIN LATERAL (SELECT max(k) AS m, count(*) AS n FROM lake.p.u
u WHERE u.a = t.a) AS x ON x.n > 0;

-- lateral groups
SELECT t.b, x.k, x.n FROM lake.p.t t JOIN LATERAL (SELECT k, count(*) AS n FROM lake.p.u u WHERE u.a <=
t.a GROUP BY k) AS x ON TRUE;

-- lateral window
SELECT t.b, x.k, x.r FROM lake.p.t t JOIN LATERAL (SELECT k, rank() OVER (ORDER BY k) AS r FROM lake.p.u
u WHERE u.a = t.a) AS x ON TRUE;

-- lateral distinct
SELECT t.b, x.k FROM lake.p.t t JOIN LATERAL (SELECT DISTINCT k FROM lake.p.u u WHERE u.a < t.a) AS x ON
TRUE;

-- join on in
SELECT t.a, u.k FROM lake.p.t t JOIN lake.p.u u ON t.a = u.a AND u.k IN (SELECT k FROM lake.p.v);

-- left join on exists
SELECT t.a, u.k FROM lake.p.t t LEFT JOIN lake.p.u u ON t.a = u.a AND EXISTS (SELECT 1 FROM lake.p.v v
WHERE v.k = u.k);

-- join using
SELECT * FROM lake.p.t JOIN lake.p.u USING (a) JOIN lake.p.v USING (b);

-- full join using
SELECT a, b, t.a AS ta, u.a AS ua FROM lake.p.t FULL JOIN lake.p.u USING (a) WHERE a > 0 OR b IS NULL;

-- natural left join
SELECT * FROM lake.p.u NATURAL LEFT JOIN lake.p.v;

-- union by name
SELECT a, b FROM lake.p.t UNION ALL BY NAME SELECT b, k AS a FROM lake.p.v;

-- cte with column names
WITH c(x, n) AS (SELECT a, count(*) FROM lake.p.t GROUP BY a) SELECT x, n FROM c WHERE x > 0;

-- named windows
SELECT a, d, sum(d) OVER w AS s, rank() OVER (w ORDER BY d) AS r FROM lake.p.t WINDOW w AS (PARTITION BY
a);

-- grouping sets multiplied
SELECT a, b, d, count(*) AS n, grouping_id(a, b, d) AS g FROM lake.p.t GROUP BY a, ROLLUP (b), CUBE (d);

-- grouping sets nested
SELECT a, b, d, sum(a) AS s FROM lake.p.t GROUP BY GROUPING SETS ((a), ROLLUP (b, d)) HAVING count(*) > 0;

-- rollup of pairs
SELECT a, b, d, count(*) AS n FROM lake.p.t GROUP BY ROLLUP ((a, b), d) HAVING grouping(a) = 0;

-- rollup with a scalar subquery
SELECT a, count(*) + (SELECT count(*) FROM lake.p.u) AS n FROM lake.p.t GROUP BY ROLLUP (a) HAVING a IS
NOT NULL;

-- group by position and alias
SELECT a + 1 AS k, upper(b) AS w, count(*) AS n FROM lake.p.t GROUP BY 1, w;

-- having without group by
SELECT count(*) AS n FROM lake.p.t HAVING max(a) > 1;

-- window over groups
SELECT a, b, sum(sum(d)) OVER (PARTITION BY a) AS s, count(*) AS n FROM lake.p.t GROUP BY a, b;

-- in compared with false
SELECT a, d FROM lake.p.t WHERE (a NOT IN (SELECT k FROM lake.p.u)) = false OR d IS NULL;

-- not in within not
SELECT a, NOT (a NOT IN (SELECT k FROM lake.p.u) OR d > 1) AS m FROM lake.p.t;

-- group by over a left join, grouped again
SELECT n, count(*) AS groups FROM (SELECT t.a, count(u.k) AS n FROM lake.p.t t LEFT JOIN lake.p.u u ON t.a = u.a AND
u.k > 0 GROUP BY t.a) x GROUP BY n;

-- group by over a left join with an aggregate
SELECT t.b, max(x.n) AS m FROM lake.p.t t LEFT JOIN (SELECT a, count(*) AS n FROM lake.p.u GROUP BY a) x ON t.a = x.a
WHERE t.d IS NOT NULL GROUP BY t.b;

-- in a query with having
SELECT a, b FROM lake.p.t WHERE a IN (SELECT a FROM lake.p.u GROUP BY a HAVING sum(k) > 1);

-- in a query over a correlated aggregate
SELECT a, b FROM lake.p.v v JOIN lake.p.t t USING (b) WHERE a IN (SELECT a FROM lake.p.u u WHERE u.k > (SELECT
count(*) FROM lake.p.t t WHERE t.a = u.a AND t.d > 0));

-- not exists of an aggregate by an expression
SELECT a FROM lake.p.t t WHERE NOT EXISTS (SELECT 1 FROM (SELECT a + 1 AS g, count(*) AS n FROM lake.p.u GROUP BY
a + 1) x WHERE x.g = t.a AND x.n > 1);

-- window over an aggregate over a left join
SELECT a, n, rank() OVER (PARTITION BY a ORDER BY n) AS r FROM (SELECT t.a, t.b, count(u.k) AS n FROM lake.p.t t LEFT
JOIN lake.p.u u ON t.a = u.a GROUP BY t.a, t.b) x;
