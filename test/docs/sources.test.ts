import { readdirSync, readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import type { Mapping, ObjectSource, WrittenChanges } from "../../src/mapper/mapping.js";
import type { Preset } from "../../src/mapper/preset.js";
import { presetNames, presets } from "../../src/mapper/presets.js";
import { resolveMapping, resolveWritten } from "../../src/mapper/resolve-mapping.js";

const pages = new URL("../../docs/sources/", import.meta.url);
const schema = readFileSync(new URL("../../pipeline.schema.json", import.meta.url), "utf8");
const validate = new Ajv2020({ strict: false }).compile(JSON.parse(schema) as object);

it("every preset has a page, and every page a preset", () => {
  expect(readdirSync(pages).sort()).toEqual(presetNames.map((name) => `${name}.md`).sort());
});

describe.each(presetNames)("docs/sources/%s.md", (preset) => {
  const page = readFileSync(new URL(`${preset}.md`, pages), "utf8");
  const snippets = [...page.matchAll(/`([^`\n]+)`/g)].map(([, snippet = ""]) => snippet);

  it("names the field of every target", () => {
    const [, table = ""] = /^## What maps to what$([\s\S]*?)^## /m.exec(page) ?? [];
    const missing = fieldsOf(resolveMapping(preset)).filter(
      (path) => !table.includes(`\`${path}\``),
    );
    expect(missing).toEqual([]);
  });

  it("shows configuration that can be used with the preset", () => {
    const shown = snippets.filter((snippet) => /^"\w+": /.test(snippet));
    expect(shown).not.toEqual([]);
    for (const snippet of shown) {
      const parsed = JSON.parse(`{${snippet}}`) as Record<string, unknown>;
      const isTarget = Object.keys(parsed).every((key) => key in resolveMapping(preset));
      const file: { readonly mapping?: WrittenChanges } = isTarget ? { mapping: parsed } : parsed;
      expect(validate(file), `${snippet}: ${JSON.stringify(validate.errors)}`).toBe(true);
      const whole = { ...presets[preset].mapping, ...file.mapping };
      expect(() => resolveWritten(whole), snippet).not.toThrow();
    }
  });
});

it.each(presetNames)("docs/sources/%s.md shows the variant of the preset", (preset) => {
  const { mapping, moreMetadata }: Preset = presets[preset];
  if (moreMetadata === undefined) return;
  const variant = JSON.stringify([mapping.metadata, { fields: moreMetadata }]);
  const page = readFileSync(new URL(`${preset}.md`, pages), "utf8").replaceAll(" ", "");
  expect(page).toContain(`"metadata":${variant.replaceAll(" ", "")}`);
});

function fieldsOf(mapping: Mapping): readonly string[] {
  const { event, timestamp, userID, stableID, insertID, filter, metadata, user } = mapping;
  const fields = [event, timestamp, userID, stableID, insertID, filter];
  const paths = [...fields.flat().map(({ path }) => path), ...pathsOf(metadata), ...pathsOf(user)];
  return paths.map((path) => path.join("."));
}

function pathsOf(target: ObjectSource): readonly (readonly string[])[] {
  switch (target.kind) {
    case "merged":
      return target.parts.flatMap(pathsOf);
    case "choices":
      return target.choices.map(({ path }) => path);
    case "rest":
      // The rest of the row is told of in words.
      return target.path.length === 0 ? [] : [target.path];
    case "fields":
      return target.fields.map(({ path }) => path);
    case "pairs":
      // The levels of a list (`list`, `element`) are told of in words.
      return target.lists.map(({ path }) => path.filter((step) => step !== "list"));
  }
}
