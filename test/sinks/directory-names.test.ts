import { expect, test } from "vitest";
import { parseTemplate, templateText } from "../../src/sinks/directory-names.js";

test.each([
  ["{day}", "events", "{day}", "day"],
  ["day={day}", "events", "day={day}", "day"],
  ["{day}/event={event}", "events", "{day}", "day,event"],
  ["acme/{day}", "acme", "{day}", "day"],
  ["a.b=c/dt={day}/event={event}", "a.b=c", "dt={day}", "day,event"],
])(
  "%s is the dataset %s, days called %s, and levels of %s",
  (text, dataset, dayName, partition) => {
    const parsed = { dataset, dayName, partition } as const;
    expect(parseTemplate(text)).toEqual(parsed);
    expect(
      parseTemplate(templateText(parsed as ReturnType<typeof parseTemplate> & object)),
    ).toEqual(parsed);
  },
);

test.each([
  "rejects/{day}",
  "Rejects/{day}",
  "duplicates/day={day}",
  "manifest.json/{day}",
  "events-by-day.jsonl/{day}/event={event}",
  "inputs.jsonl/{day}",
  "renames.json/{day}",
])("%s is refused: outputs have other files of this name", (text) =>
  expect(parseTemplate(text)).toBeUndefined(),
);

test.each(["", "day", "events", "/{day}", "../{day}", "_x/{day}", "{day}/", "{day}/{event}"])(
  "%j is not a path of days",
  (text) => expect(parseTemplate(text)).toBeUndefined(),
);
