import type { projectRoutes } from "../contract/project.js";
import type { Handlers } from "../http/handler.js";
import { pageAnswer } from "./pagination.js";

const company = {
  companyID: "switchyard",
  companyName: "Switchyard",
  isWarehouseNative: false,
  orgID: null,
  orgName: null,
};

/** Answers facts of the project, which has keys but no users. */
export function projectHandlers(): Handlers<typeof projectRoutes> {
  return {
    readCompany: async () => ({ content: { data: company } }),
    readProject: async () => ({ content: { data: { id: company.companyID } } }),
    listUsers: async (call) => pageAnswer(call, { items: [], totalItems: 0 }),
  };
}
