UNDROP orders
-- SqlSyntaxError at 1:8: expected TABLE, DYNAMIC TABLE or TABLE STREAM, found orders
-- hint: UNDROP TABLE | DYNAMIC TABLE | TABLE STREAM name

UNDROP TABLE
-- SqlSyntaxError at 1:13: expected the name of a table, found the end of the statement
-- hint: UNDROP TABLE | DYNAMIC TABLE | TABLE STREAM name

UNDROP TABLE orders AS older
-- SqlSyntaxError at 1:21: unexpected AS
-- hint: UNDROP TABLE | DYNAMIC TABLE | TABLE STREAM name

RESTORE orders TO VERSION AS OF 1
-- SqlSyntaxError at 1:9: expected TABLE or DYNAMIC TABLE, found orders
-- hint: RESTORE TABLE | DYNAMIC TABLE name TO VERSION AS OF n | TO TIMESTAMP AS OF timestamp

RESTORE TABLE orders VERSION AS OF 1
-- SqlSyntaxError at 1:22: expected TO, found VERSION
-- hint: RESTORE TABLE | DYNAMIC TABLE name TO VERSION AS OF n | TO TIMESTAMP AS OF timestamp

RESTORE TABLE orders TO 1
-- SqlSyntaxError at 1:25: expected VERSION AS OF or TIMESTAMP AS OF, found 1
-- hint: RESTORE TABLE | DYNAMIC TABLE name TO VERSION AS OF n | TO TIMESTAMP AS OF timestamp

RESTORE TABLE orders TO VERSION AS OF 'first'
-- SqlSyntaxError at 1:39: expected the number of a version, found 'first'
-- hint: RESTORE TABLE | DYNAMIC TABLE name TO VERSION AS OF n | TO TIMESTAMP AS OF timestamp

RESTORE TABLE orders TO VERSION AS OF -1
-- SqlSyntaxError at 1:39: expected the number of a version, found -
-- hint: RESTORE TABLE | DYNAMIC TABLE name TO VERSION AS OF n | TO TIMESTAMP AS OF timestamp

RESTORE TABLE orders TO TIMESTAMP AS OF
-- SqlSyntaxError at 1:40: expected a timestamp, found the end of the statement
-- hint: RESTORE TABLE | DYNAMIC TABLE name TO VERSION AS OF n | TO TIMESTAMP AS OF timestamp

RESTORE TABLE orders TO TIMESTAMP AS OF '2024-01-01' UTC
-- SqlSyntaxError at 1:54: unexpected UTC
-- hint: RESTORE TABLE | DYNAMIC TABLE name TO VERSION AS OF n | TO TIMESTAMP AS OF timestamp

RESTORE TABLE orders TO TIMESTAMP AS OF date_sub(current_date, 1
-- SqlSyntaxError at 1:49: this parenthesis is never closed
-- hint: RESTORE TABLE | DYNAMIC TABLE name TO VERSION AS OF n | TO TIMESTAMP AS OF timestamp

VACUUM orders RETAIN 0 HOURS
-- SqlSyntaxError at 1:15: unexpected RETAIN
-- hint: VACUUM [table]

OPTIMIZE
-- SqlSyntaxError at 1:9: expected the name of a table, found the end of the statement
-- hint: OPTIMIZE table

OPTIMIZE orders WHERE id = 1
-- SqlSyntaxError at 1:17: unexpected WHERE
-- hint: OPTIMIZE table

SHOW TABLES HISTORY orders
-- SqlSyntaxError at 1:21: unexpected orders
-- hint: SHOW TABLES HISTORY [IN schema] [LIKE 'pattern'] [WHERE condition] [LIMIT n]

DESC HISTORY orders products
-- SqlSyntaxError at 1:21: unexpected products
-- hint: DESC HISTORY table [WHERE condition] [LIMIT n]

DESC HISTORY orders LIMIT many
-- SqlSyntaxError at 1:27: expected a whole number after LIMIT, found many
-- hint: DESC HISTORY table [WHERE condition] [LIMIT n]
