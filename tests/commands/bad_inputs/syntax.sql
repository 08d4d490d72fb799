SELEC id FROM orders
-- SqlSyntaxError at 1:1: syntax error at or near 'SELEC'

SELECT id FROM orders WHERE quantity > 1 AND
-- SqlSyntaxError at 1:42: syntax error at or near 'AND'

SELECT (1 + 2
-- SqlSyntaxError at 1:13: syntax error at or near end of input

SELECT id,, product FROM orders
-- SqlSyntaxError at 1:11: syntax error at or near ','

SELECT id
FROM orders
WHERE quantity >> > 1
-- SqlSyntaxError at 3:19: syntax error at or near '>'

INSERT orders VALUES (1)
-- SqlSyntaxError at 1:8: syntax error at or near 'orders'

SELECT 'lamp
-- SqlSyntaxError at 1:8: this string has no closing quote
-- hint: close it with '

SELECT `lamp FROM orders
-- SqlSyntaxError at 1:8: this quoted name has no closing backtick
-- hint: close it with `

SELECT 1 /* forever
-- SqlSyntaxError at 1:10: this comment has no end
-- hint: close it with */; comments nest
