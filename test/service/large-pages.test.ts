import { afterEach, beforeEach, expect, it } from "vitest";
import { startTestService, type TestAnswer, type TestService } from "../support/service.js";

let service: TestService;
beforeEach(async () => {
  service = await startTestService();
});
afterEach(() => service.close());

const path = "/console/v1/gates";
const LARGE = 20;

/** Returns the names on each page, from the first to the last by the URLs of the pages. */
async function pagesFrom(first: string): Promise<readonly (readonly string[])[]> {
  const pages: string[][] = [];
  for (let url: string | null = first; url !== null; ) {
    const answer: TestAnswer<readonly { name: string }[]> = await service.call({ path: url });
    expect(answer.status).toBe(200);
    const { data, pagination } = answer.json;
    expect(pagination.pageNumber).toBe(pages.length + 1);
    pages.push(data.map(({ name }) => name));
    url = pagination.nextPage;
  }
  return pages;
}

it("ends a page early whose results are too large together, and the next one continues there", async () => {
  const tags = ["x".repeat(1_000_000)];
  for (let count = 0; count < LARGE; count += 1) {
    await service.call({ method: "POST", path, body: { name: `Large ${count}`, tags } });
  }
  const expected = Array.from({ length: LARGE }, (_, index) => `Large ${index}`);
  for (const query of ["", "?limit=10", "?limit=10&status=in%20progress", "?limit=3"]) {
    const pages = await pagesFrom(`${path}${query}`);
    expect(pages.flat().toSorted(), query).toEqual(expected.toSorted());
    expect(pages.length, query).toBeGreaterThan(1);
  }
  const { json } = await service.call({ path: `${path}?limit=10` });
  expect(json.pagination).toMatchObject({ totalItems: LARGE, itemsPerPage: 10 });
  expect(json.pagination.nextPage).toBe(`${path}?page=2&limit=10&offset=8`);
});
