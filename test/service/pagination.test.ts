import { expect, it } from "vitest";
import { omitUndefined } from "../../src/base/omit-undefined.js";
import { pageAnswer, sliceOf } from "../../src/service/pagination.js";

/** The pagination of a page that has all results it can have, or `count`. */
function pagination(
  page: number,
  limit: number,
  totalItems: number,
  { queryText = "", offset, count }: { queryText?: string; offset?: number; count?: number } = {},
) {
  const query = { page, limit, ...omitUndefined({ offset }) };
  const call = { path: "/console/v1/gates", queryText, query };
  const length = count ?? Math.max(Math.min(limit, totalItems - sliceOf(query).start), 0);
  const items = Array.from({ length });
  return pageAnswer(call, { items, totalItems }).content["pagination"];
}

it("returns the URLs of the next and the previous page", () => {
  expect(pagination(2, 10, 25)).toEqual({
    itemsPerPage: 10,
    pageNumber: 2,
    nextPage: "/console/v1/gates?page=3&limit=10",
    previousPage: "/console/v1/gates?page=1&limit=10",
    totalItems: 25,
    all: "/console/v1/gates",
  });
});

it("has null if there is no such page", () => {
  expect(pagination(1, 10, 10)).toMatchObject({ nextPage: null, previousPage: null });
  expect(pagination(1, 10, 0)).toMatchObject({ nextPage: null, previousPage: null });
  expect(pagination(3, 10, 30)).toMatchObject({ nextPage: null });
});

it("returns the URL of the last page for a page past the end", () => {
  expect(pagination(9, 10, 25)).toMatchObject({
    nextPage: null,
    previousPage: "/console/v1/gates?page=3&limit=10",
  });
});

it("keeps the other values of the query", () => {
  expect(pagination(1, 10, 25, { queryText: "tag=a%20b&page=1&limit=10&x=1&x=2" })).toMatchObject({
    nextPage: "/console/v1/gates?page=2&limit=10&tag=a+b&x=1&x=2",
  });
});

it("continues where a page ended early, until the pages are full again", () => {
  const path = "/console/v1/gates";
  expect(pagination(1, 10, 25, { count: 4 })).toMatchObject({
    nextPage: `${path}?page=2&limit=10&offset=4`,
    previousPage: null,
  });
  expect(pagination(2, 10, 25, { offset: 4, queryText: "page=2&offset=4&tags=a" })).toMatchObject({
    pageNumber: 2,
    nextPage: `${path}?page=3&limit=10&offset=14&tags=a`,
    previousPage: `${path}?page=1&limit=10&tags=a`,
  });
  expect(pagination(4, 10, 25, { offset: 24 })).toMatchObject({
    nextPage: null,
    previousPage: `${path}?page=3&limit=10&offset=14`,
  });
  expect(pagination(2, 10, 25, { offset: 4, count: 6 })).toMatchObject({
    nextPage: `${path}?page=3&limit=10&offset=10`,
  });
  expect(pagination(3, 10, 25, { offset: 15, count: 5 })).toMatchObject({
    nextPage: `${path}?page=4&limit=10&offset=20`,
  });
});

it("never passes an unsafe integer as start to the store", () => {
  expect(sliceOf({ page: Number.MAX_SAFE_INTEGER, limit: 1_000 })).toEqual({
    start: Number.MAX_SAFE_INTEGER,
    count: 1_000,
  });
  expect(sliceOf({ page: 3, limit: 10 })).toEqual({ start: 20, count: 10 });
});
