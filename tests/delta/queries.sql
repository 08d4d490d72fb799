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
