import { describe, expect, test } from "vitest";

import { shownText } from "./cells";
import { age, counted, duration, interval, isoSeconds } from "./durations";
import { nameParts, quoteString, shownName, sqlName, tableName } from "./names";
import { bytes, percent, shortCount } from "./numbers";
import { dateTime, daysLater, relative, shortTime, upcoming } from "./times";

describe("durations", () => {
  test.each([
    ["PT1.5S", 1.5],
    ["P1DT2H3M4S", 93_784],
    ["PT0S", 0],
    ["-PT2S", -2],
    ["1.5", null],
    [null, null],
  ])("ISO 8601 %s", (text, seconds) => expect(isoSeconds(text)).toBe(seconds));

  test.each([
    [0.0124, "12 ms"],
    [1.44, "1.4 s"],
    [42.4, "42 s"],
    [60, "1 min"],
    [125, "2 min 5 s"],
    [3600 * 3 + 600, "3 h 10 min"],
    [86_400 * 2, "2 d"],
    [null, "–"],
  ])("%s seconds", (seconds, text) => expect(duration(seconds)).toBe(text));

  test("an age has no more digits than are of use", () => {
    expect([age(0.4), age(4.2), age(61)]).toEqual(["0 s", "4 s", "1 min 1 s"]);
  });

  test("intervals are those of REFRESH INTERVAL", () => {
    expect([interval(30), interval(60), interval(7200), interval(null)]).toEqual([
      "30 seconds",
      "1 minute",
      "2 hours",
      "on demand",
    ]);
    expect(counted(1200, "table")).toBe("1,200 tables");
  });
});

describe("names", () => {
  test("parts may be quoted", () => {
    expect(nameParts("lake.public.a")).toEqual(["lake", "public", "a"]);
    expect(nameParts("lake.`my schema`.`a.``b`")).toEqual(["lake", "my schema", "a.`b"]);
  });

  test("names of one and two parts are of the default schema", () => {
    expect(tableName("a")).toEqual({ workspace: "lake", schema: "public", table: "a" });
    expect(tableName("s.a")).toEqual({ workspace: "lake", schema: "s", table: "a" });
  });

  test("what is written as SQL cannot leave its quotes", () => {
    const name = { workspace: "lake", schema: "s", table: "a`; DROP TABLE b" };
    expect(sqlName(name)).toBe("`lake`.`s`.`a``; DROP TABLE b`");
    expect(tableName(shownName(name))).toEqual(name);
    expect(quoteString("it's \\")).toBe("'it\\'s \\\\'");
  });
});

test("numbers", () => {
  expect([bytes(999), bytes(1500), bytes(12_345_678), bytes(null)]).toEqual([
    "999 B",
    "1.50 kB",
    "12.3 MB",
    "–",
  ]);
  expect([shortCount(9999), shortCount(12_345), shortCount(1_200_000)]).toEqual([
    "9,999",
    "12.3 k",
    "1.20 M",
  ]);
  expect([percent(1, 3), percent(1, 0)]).toEqual(["33 %", "–"]);
});

describe("times", () => {
  const moment = "2026-01-31T23:30:00+00:00";

  test("are shown in the zone of the lake", () => {
    expect(dateTime(moment, "UTC")).toBe("2026-01-31 23:30:00");
    expect(dateTime(moment, "Asia/Shanghai")).toBe("2026-02-01 07:30:00");
  });

  test("have no date on the same day", () => {
    const now = new Date("2026-02-01T00:10:00Z");
    expect(shortTime(moment, "UTC", now)).toBe("01-31 23:30");
    expect(shortTime(moment, "Asia/Shanghai", now)).toBe("07:30:00");
  });

  test("days before and after a date", () => {
    expect([daysLater("2026-01-31", 1), daysLater("2026-03-01", -1)]).toEqual(["2026-02-01", "2026-02-28"]);
  });

  test("relative to now", () => {
    const now = new Date("2026-01-31T23:35:10Z");
    expect(relative(moment, now)).toBe("5 min ago");
    expect(relative("2026-01-31T23:35:20Z", now)).toBe("in 10 s");
    expect(relative("2026-01-31T23:35:10Z", now)).toBe("now");
    expect(upcoming("2026-01-31T23:35:20Z", now)).toBe("in 10 s");
    expect(upcoming(moment, now)).toBe("due");
  });
});

describe("cells", () => {
  test.each([
    ["2026-01-31T10:00:00.250000+00:00", "timestamp", "2026-01-31 11:00:00.250000"],
    ["2026-01-31T10:00:00", "timestamp_ntz", "2026-01-31 10:00:00"],
    ["P1DT2H3M4.5S", "interval day to second", "1 02:03:04.5"],
    ["-PT59S", "interval day to second", "-0 00:00:59"],
    [[1, 2], "array<int>", "[1,2]"],
  ])("%s as %s", (value, type, text) => expect(shownText(value, type, "Europe/Paris")).toBe(text));
});
