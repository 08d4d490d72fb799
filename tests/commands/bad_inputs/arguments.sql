SET dt.args.bizdate =
-- SqlSyntaxError at 1:22: expected a value after =, found the end of the statement
-- hint: SET dt.args.name = value

SET dt.args.bizdate 2024-06-01
-- SqlSyntaxError at 1:21: expected =, found 2024
-- hint: SET dt.args.name = value

SET dt.args.biz-date = 2024-06-01
-- SqlSyntaxError at 1:16: unexpected - in a name
-- hint: put a name with other than letters, digits and _ in backticks: `a-b`

SET `dt.args.` = 2024-06-01
-- SqlSyntaxError at 1:5: the name of an argument is missing
-- hint: SET dt.args.name = value

RESET dt.args.bizdate now
-- SqlSyntaxError at 1:23: unexpected now
-- hint: RESET dt.args.name

REFRESH DYNAMIC TABLE sales PARTITION (product = lamp)
-- SqlSyntaxError at 1:50: expected a string, a number, a date, a boolean or NULL, found lamp
-- hint: REFRESH DYNAMIC TABLE name [FULL] [PARTITION (column = value, ...)]

REFRESH DYNAMIC TABLE sales PARTITION (product = 'lamp'
-- SqlSyntaxError at 1:56: expected , or ) after the value, found the end of the statement
-- hint: REFRESH DYNAMIC TABLE name [FULL] [PARTITION (column = value, ...)]

REFRESH DYNAMIC TABLE sales PARTITION (product = 'lamp', PRODUCT = 'desk')
-- SqlSyntaxError at 1:58: column PRODUCT is given twice
-- hint: REFRESH DYNAMIC TABLE name [FULL] [PARTITION (column = value, ...)]

REFRESH DYNAMIC TABLE sales PARTITION ()
-- SqlSyntaxError at 1:40: expected a partition column, found )
-- hint: REFRESH DYNAMIC TABLE name [FULL] [PARTITION (column = value, ...)]
