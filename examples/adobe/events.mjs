// Makes events of the numbers in `post_event_list`, such as `1,200=3`, beside the hit itself.
import { readFileSync } from "node:fs";

/** The lookup of the feed: a number and a name in each line. */
const lookup = readFileSync(new URL("in/event.tsv", import.meta.url), "utf8");
const names = new Map(lookup.trimEnd().split("\n").map((line) => line.split("\t")));

/** Your own names of custom events; the others keep those of the lookup. */
const ownNames = { "Custom Event 1": "loyalty_points" };

export default function events(hit) {
  const list = hit.metadata.post_event_list ?? "";
  const happened = list.split(",").flatMap((entry) => {
    const [number, value] = entry.split("=");
    const name = names.get(number);
    // Instances of variables say that the hit has a value.
    if (name === undefined || name.startsWith("Instance of")) return [];
    return [
      {
        ...hit,
        event: ownNames[name] ?? name.toLowerCase().replaceAll(" ", "_"),
        value: name === "Purchase" ? revenueOf(hit.metadata.post_product_list) : value,
        insertID: hit.insertID && `${hit.insertID}-${number}`,
      },
    ];
  });
  return [hit, ...happened];
}

/** Returns the sum of a list of products: `category;name;quantity;price,…`. */
function revenueOf(products = "") {
  return products.split(",").reduce((sum, product) => sum + Number(product.split(";")[3] ?? 0), 0);
}
