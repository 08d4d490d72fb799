-- One query per operator; each is maintained while rows of both its sources are inserted, updated and deleted.
-- o(id, k, v, d, s, tags) and p(k, name, w)

-- filter
SELECT id, v FROM o WHERE v > 3 AND s LIKE 'a%';
-- project
SELECT id * 2 AS i, upper(s) AS s, CASE WHEN v IS NULL THEN 'none' ELSE 'some' END AS c FROM o;
-- inner join
SELECT o.id, p.name FROM o JOIN p ON o.k = p.k;
-- three-way join
SELECT o.id, p.name, q.w FROM o JOIN p ON o.k = p.k JOIN p q ON q.w = p.w AND q.k <> p.k;
-- self join
SELECT a.id, b.id AS other FROM o a JOIN o b ON a.k = b.k AND a.id = b.id + 5;
-- non-equi join
SELECT o.id, p.name FROM o JOIN p ON o.v < p.w AND o.id % 7 = 0;
-- cross join
SELECT o.id, p.name FROM o CROSS JOIN p WHERE o.id % 10 = 0;
-- comma join
SELECT o.id, p.name FROM o, p WHERE o.k = p.k AND p.w > 1;
-- using
SELECT * FROM o JOIN p USING (k);
-- left join
SELECT o.id, p.name FROM o LEFT JOIN p ON o.k = p.k;
-- right join
SELECT o.id, p.name, p.w FROM o RIGHT JOIN p ON o.k = p.k AND o.v > 2;
-- full join
SELECT o.id, p.name FROM o FULL JOIN p ON o.k = p.k AND o.v > p.w;
-- semi join
SELECT id FROM o LEFT SEMI JOIN p ON o.k = p.k;
-- anti join
SELECT id FROM o LEFT ANTI JOIN p ON o.k = p.k;
-- exists
SELECT id FROM o WHERE EXISTS (SELECT 1 FROM p WHERE p.k = o.k AND p.w > 1);
-- not exists
SELECT id FROM o WHERE NOT EXISTS (SELECT 1 FROM p WHERE p.k = o.k);
-- in
SELECT id, v FROM o WHERE k IN (SELECT k FROM p WHERE w > 1);
-- not in
SELECT id FROM o WHERE v NOT IN (SELECT w FROM p WHERE name <> 'none');
-- union all
SELECT k, v FROM o UNION ALL SELECT k, w FROM p;
-- union
SELECT k FROM o UNION SELECT k FROM p;
-- intersect
SELECT k, v FROM o INTERSECT SELECT k, w FROM p;
-- intersect all
SELECT k, v FROM o INTERSECT ALL SELECT k, w FROM p;
-- except
SELECT k FROM o EXCEPT SELECT k FROM p WHERE w > 2;
-- except all
SELECT k, v FROM o EXCEPT ALL SELECT k, w FROM p;
-- distinct
SELECT DISTINCT k, s FROM o;
-- counts and sums
SELECT k, count(*) AS n, count(v) AS c, sum(v) AS sv, sum(d) AS sd FROM o GROUP BY k;
-- averages
SELECT k, avg(v) AS av, avg(d) AS ad, sum(v) / count(*) AS ratio FROM o GROUP BY k;
-- sums under FILTER
SELECT k, count(*) FILTER (WHERE v > 2) AS n, sum(d) FILTER (WHERE s = 'a1') AS sd, count_if(v > 3) AS ci FROM o GROUP BY k;
-- min and max
SELECT k, min(v) AS lo, max(d) AS hi, max_by(id, id) AS latest, bool_and(v > 1) AS every_v FROM o GROUP BY k;
-- distinct aggregates
SELECT k, count(DISTINCT s) AS n, sum(DISTINCT v) AS sv FROM o GROUP BY k;
-- collected
SELECT k, sort_array(collect_list(v)) AS vs, array_sort(collect_set(s)) AS ss FROM o GROUP BY k;
-- statistics
SELECT k, percentile(v, 0.5) AS p50, mode(s) AS often, approx_count_distinct(s) AS a FROM o GROUP BY k HAVING count(*) = 1;
-- having
SELECT k, sum(v) AS sv FROM o GROUP BY k HAVING count(*) > 12 AND sum(v) IS NOT NULL;
-- global aggregate
SELECT count(*) AS n, sum(v) AS sv, avg(d) AS ad FROM o WHERE v > 4;
-- global aggregate of nothing
SELECT count(*) AS n, sum(v) AS sv, max(s) AS m FROM o WHERE v > 1000;
-- grouping sets
SELECT k, s, count(*) AS n, grouping(s) AS g FROM o GROUP BY GROUPING SETS ((k, s), (k), ());
-- rollup
SELECT k, s, sum(v) AS sv FROM o GROUP BY ROLLUP (k, s);
-- cube
SELECT k, s, sum(v) AS sv, grouping_id(k, s) AS gid FROM o GROUP BY CUBE (k, s);
-- window
SELECT id, k, sum(v) OVER (PARTITION BY k) AS total, rank() OVER (PARTITION BY k ORDER BY v DESC, id) AS r FROM o;
-- window without partition
SELECT name, w, rank() OVER (ORDER BY w DESC) AS r, lag(name) OVER (ORDER BY w, name, k) AS before FROM p;
-- first of each key
SELECT k, id, v FROM (SELECT *, row_number() OVER (PARTITION BY k ORDER BY v DESC NULLS LAST, id) AS rn FROM o) WHERE rn = 1;
-- top three of each key
SELECT k, id FROM (SELECT k, id, row_number() OVER (PARTITION BY k ORDER BY id DESC) AS rn FROM o) WHERE rn <= 3;
-- scalar subquery
SELECT id, v - (SELECT avg(w) FROM p) AS off FROM o WHERE v > (SELECT min(w) FROM p);
-- correlated subquery
SELECT id, (SELECT count(*) FROM p WHERE p.k = o.k) AS n, (SELECT max(w) FROM p WHERE p.k = o.k) AS m FROM o;
-- common table expression used twice
WITH t AS (SELECT k, count(*) AS n FROM o GROUP BY k) SELECT a.k, a.n, b.n AS other FROM t a JOIN t b ON a.n = b.n + 1;
-- common table expression not used
WITH t AS (SELECT k FROM p) SELECT id, v FROM o;
-- qualify
SELECT id, k, v FROM o QUALIFY row_number() OVER (PARTITION BY k ORDER BY v DESC, id) <= 2;
-- qualify by an alias
SELECT k, s, count(*) AS n, rank() OVER (PARTITION BY k ORDER BY count(*) DESC, s) AS r FROM o GROUP BY k, s QUALIFY r = 1;
-- lateral view
SELECT id, tag FROM o LATERAL VIEW explode(tags) t AS tag;
-- lateral view outer
SELECT id, pos, tag FROM o LATERAL VIEW OUTER posexplode(tags) t AS pos, tag;
-- explode in the select list
SELECT id, explode(tags) AS tag FROM o;
-- nested aggregate
SELECT n, count(*) AS groups FROM (SELECT k, count(*) AS n FROM o GROUP BY k) GROUP BY n;
-- join of aggregates
SELECT a.k, a.n, b.w FROM (SELECT k, count(*) AS n FROM o GROUP BY k) a LEFT JOIN (SELECT k, sum(w) AS w FROM p GROUP BY k) b ON a.k <=> b.k;
-- aggregate of a join
SELECT p.name, count(*) AS n, sum(o.d) AS sd, avg(o.v) AS av FROM o JOIN p ON o.k = p.k GROUP BY p.name;
-- aggregate of a left join
SELECT p.k, p.name, count(o.id) AS n FROM p LEFT JOIN o ON o.k = p.k GROUP BY p.k, p.name;
-- order by at the top
SELECT id, v FROM o WHERE v > 5 ORDER BY v DESC, id;
-- union all of two types
SELECT x FROM (SELECT d AS x FROM o UNION ALL SELECT w FROM p) WHERE length(CAST(x AS STRING)) > 3;
-- except all of two types
SELECT x FROM (SELECT w AS x FROM p EXCEPT ALL SELECT d FROM o) WHERE length(CAST(x AS STRING)) > 3;
