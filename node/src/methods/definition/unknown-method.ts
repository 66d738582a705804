import { type CallError, callError } from "../../queries/call-error.ts"

/** What Bitcoin Core says of methods that became commands of its client. */
const REPLACED: ReadonlyMap<string, string> = new Map([
  ["generate", "generate\n\nhas been replaced by the -generate cli option. Refer to -help for more information.\n"]
])

/** What became of a method that there was once; none: there was no such method. */
export const replacedBy = (name: string): string | undefined => REPLACED.get(name)

/** The error of a call to a method that there is not. */
export const unknownMethod = (name: string): CallError =>
  callError("MethodNotFound", replacedBy(name) ?? "Method not found")
