/** Made by the build from the routes of the contract: see `scripts/page-operations.mjs`. */
declare module "virtual:operations" {
  /** Method, path and names of the query parameters, by operation. */
  export const operations: Readonly<
    Record<string, readonly [method: string, path: string, query: readonly string[]]>
  >;
}
