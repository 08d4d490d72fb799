"""The folder of a tutorial: a pipeline of two dynamic tables over events that arrive every minute."""

from __future__ import annotations

from headrace.features.development.edit import FileEditing
from headrace.features.development.model import File, FileKind, FileSettings

FOLDER = "Tutorial_Working_With_Dynamic_Table"

_PREPARATION = """\
-- Events of users, the source of the pipeline.
-- Run all statements once: the following steps need the table.
-- In the settings, choose a schedule of 1 minute, then submit: each run adds events.
CREATE TABLE IF NOT EXISTS tutorial_events (
  event_id STRING,
  event_time TIMESTAMP,
  user_id BIGINT,
  action STRING COMMENT 'view, cart or buy, in upper or lower case',
  category STRING,
  amount DECIMAL(10, 2)
);

INSERT INTO tutorial_events
SELECT
  uuid(),
  current_timestamp(),
  CASE WHEN id % 25 = 0 THEN NULL ELSE CAST(rand() * 1000 AS BIGINT) END,
  element_at(array('view', 'VIEW', 'cart', 'buy'), CAST(1 + floor(rand() * 4) AS INT)),
  element_at(array('books', 'music', 'garden', ' toys '), CAST(1 + floor(rand() * 4) AS INT)),
  CAST(rand() * 100 AS DECIMAL(10, 2))
FROM range(100);
"""

_TRANSFORMATION = """\
-- Events without errors: known users only, actions and categories in one form.
-- In the settings, choose the cluster and a schedule of 1 minute, then submit.
CREATE OR REPLACE DYNAMIC TABLE tutorial_clean_events AS
SELECT
  event_id,
  event_time,
  date_trunc('MINUTE', event_time) AS event_minute,
  user_id,
  lower(action) AS action,
  trim(category) AS category,
  amount
FROM tutorial_events
WHERE user_id IS NOT NULL;
"""

_AGGREGATION = """\
-- Sales of each minute and category.
-- In the settings, choose the cluster and a schedule of 1 minute, then submit.
CREATE OR REPLACE DYNAMIC TABLE tutorial_sales_by_minute AS
SELECT
  event_minute,
  category,
  count(*) AS events,
  sum(CASE WHEN action = 'buy' THEN 1 ELSE 0 END) AS purchases,
  sum(CASE WHEN action = 'buy' THEN amount ELSE 0 END) AS revenue
FROM tutorial_clean_events
GROUP BY event_minute, category;
"""

_FRESHNESS = """\
-- How old the newest event is in each layer.
SELECT 'tutorial_events' AS layer, max(event_time) AS newest, current_timestamp() - max(event_time) AS age
FROM tutorial_events
UNION ALL
SELECT 'tutorial_clean_events', max(event_time), current_timestamp() - max(event_time)
FROM tutorial_clean_events
UNION ALL
SELECT 'tutorial_sales_by_minute', max(event_minute), current_timestamp() - max(event_minute)
FROM tutorial_sales_by_minute;

-- The last refreshes, and whether they were incremental.
SHOW DYNAMIC TABLE REFRESH HISTORY WHERE name LIKE 'tutorial%' LIMIT 10;

-- Clean-up: in Task Operations, take the task of step 1 and the two dynamic table tasks offline.
"""

_FILES = (
    ("Step01.Preparation", FileKind.SQL, _PREPARATION),
    ("Step02.Transformation_With_Dynamic_Table", FileKind.DYNAMIC_TABLE, _TRANSFORMATION),
    ("Step03.Aggregation_With_Dynamic_Table", FileKind.DYNAMIC_TABLE, _AGGREGATION),
    ("Step04.Check_Data_Freshness", FileKind.SQL, _FRESHNESS),
)


def create_tutorial(editing: FileEditing, user: str) -> File:
    """The folder; AlreadyExists where there is one."""
    folder = editing.create(None, FOLDER, FileKind.FOLDER, "", FileSettings(), user)
    for name, kind, content in _FILES:
        editing.create(folder.id, name, kind, content, FileSettings(), user)
    return folder
