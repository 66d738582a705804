import { type CallError, callError } from "../../queries/call-error.ts"

/** Bitcoin Core's messages for methods that became commands of its client. */
const REPLACED: ReadonlyMap<string, string> = new Map([
  ["generate", "generate\n\nhas been replaced by the -generate cli option. Refer to -help for more information.\n"]
])

/** Returns the message for a removed method, or `undefined` if the method never existed. */
export const replacedBy = (name: string): string | undefined => REPLACED.get(name)

/** Returns the error of a call to an unknown method. */
export const unknownMethod = (name: string): CallError =>
  callError("MethodNotFound", replacedBy(name) ?? "Method not found")
