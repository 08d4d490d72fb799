"""Orders joined with products, summed by category."""

from __future__ import annotations

from headrace.connection import Connection
from tests.oracle import assert_exact, last_refresh

SETUP = """
CREATE TABLE IF NOT EXISTS ods_orders (
  order_id BIGINT, product_id BIGINT, quantity INT, created_at TIMESTAMP);
CREATE TABLE IF NOT EXISTS ods_products (product_id BIGINT, category STRING);
INSERT INTO ods_products VALUES (1, 'Electronics'), (2, 'Clothing');
INSERT INTO ods_orders VALUES
  (100, 1, 2, TIMESTAMP '2024-05-01 09:00:00'),
  (101, 1, 3, TIMESTAMP '2024-05-01 09:05:00'),
  (102, 2, 5, TIMESTAMP '2024-05-01 09:10:00');
"""

QUERY = """SELECT p.category, COUNT(*) AS order_cnt, SUM(o.quantity) AS total_quantity
FROM ods_orders o JOIN ods_products p ON o.product_id = p.product_id
GROUP BY p.category"""

CREATE = f"CREATE DYNAMIC TABLE dws_category_sales REFRESH INTERVAL 10 MINUTE VCLUSTER default AS {QUERY};"


def test_category_sales(lake: Connection) -> None:
    lake.sql(SETUP)
    created = lake.sql(CREATE)
    assert "no scheduler is running for this lake" in created.notices[0]
    assert lake.sql("SELECT * FROM dws_category_sales").fetchall() == []

    lake.sql("REFRESH DYNAMIC TABLE dws_category_sales")
    assert str(
        lake.sql("SELECT * FROM dws_category_sales ORDER BY total_quantity, order_cnt DESC")
    ) == "\n".join(
        [
            "+-------------+-----------+----------------+",
            "| category    | order_cnt | total_quantity |",
            "+-------------+-----------+----------------+",
            "| Electronics | 2         | 5              |",
            "| Clothing    | 1         | 5              |",
            "+-------------+-----------+----------------+",
        ]
    )
    assert_exact(lake, "dws_category_sales", QUERY)

    history = lake.sql("SHOW DYNAMIC TABLE REFRESH HISTORY WHERE name = 'dws_category_sales' LIMIT 10")
    assert len(history) >= 1
    assert last_refresh(lake, "dws_category_sales")["stats"] == '{"rows_deleted":"0","rows_inserted":"2"}'


def test_interval_is_changed_by_replacing(lake: Connection) -> None:
    lake.sql(SETUP + CREATE + "REFRESH DYNAMIC TABLE dws_category_sales")
    lake.sql(CREATE.replace("CREATE", "CREATE OR REPLACE", 1).replace("10 MINUTE", "30 MINUTE"))
    described = dict(lake.sql("DESC EXTENDED dws_category_sales").fetchall())
    assert described["refresh_interval_second"] == "1800"
    assert len(lake.sql("SELECT * FROM dws_category_sales")) == 2
    lake.sql("REFRESH DYNAMIC TABLE dws_category_sales")
    assert last_refresh(lake, "dws_category_sales")["refresh_mode"] == "NO_DATA"
