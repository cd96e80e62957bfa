import { modelStore } from "./model-store.js";
import { storeSuite } from "./store-suite.js";

storeSuite("A store in maps", {
  newPlace: () => "nowhere",
  open: async (_, now) => modelStore(now),
  isLasting: false,
});
