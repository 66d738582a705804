import { ipcErrorText, MAX_MODULE_MESSAGE_BYTES, type ModuleMessageOf } from "@lockstep/protocol/module-ipc/index.ts"
import { NodeError } from "../client/node-error.ts"
import { jsonText, type JsonValue } from "./json-text.ts"
import type { ModuleContext } from "./module-context.ts"
import type { ModuleParts } from "./module-parts.ts"
import { RpcError } from "./rpc-error.ts"
import type { SettingDefaults } from "./settings.ts"

type Invocation = ModuleMessageOf<"Invocation">["invocation_type"]
type Result = NonNullable<ModuleMessageOf<"InvocationResult">["payload"]>

const cli = async <D extends SettingDefaults>(
  { commands }: ModuleParts<D>,
  { args, subcommand }: Extract<Invocation, { readonly _tag: "Cli" }>,
  context: ModuleContext<D>
): Promise<Result> => {
  const command = commands?.subcommands[subcommand]
  if (command === undefined) throw new Error(`there is no command ${subcommand}`)
  const { exitCode = 0, stderr = "", stdout } = await command.run(args, context)
  return { _tag: "Cli", stdout, stderr, exit_code: exitCode }
}

const answered = async <D extends SettingDefaults>(
  parts: ModuleParts<D>,
  invocation: Invocation,
  context: ModuleContext<D>
): Promise<Result> => {
  switch (invocation._tag) {
    case "Cli":
      return cli(parts, invocation, context)
    case "Rpc": {
      const method = parts.rpc?.[invocation.method]
      if (method === undefined) throw new Error(`there is no method ${invocation.method}`)
      const result = await method.call(JSON.parse(invocation.params) as JsonValue, context)
      return { _tag: "Rpc", result: jsonText(result) }
    }
    case "ModuleApi": {
      const method = parts.api?.methods[invocation.method]
      if (method === undefined) throw new Error(`there is no method ${invocation.method}`)
      return { _tag: "ModuleApi", data: await method(invocation.params, invocation.caller_module_id, context) }
    }
  }
}

/** Maximum bytes of an answer. The node disconnects after a longer message, so some room is left for the envelope. */
const MOST_BYTES = MAX_MODULE_MESSAGE_BYTES - 1_024

const bytesOf = (payload: Result): number => {
  switch (payload._tag) {
    case "Rpc":
      return Buffer.byteLength(payload.result)
    case "Cli":
      return Buffer.byteLength(payload.stdout) + Buffer.byteLength(payload.stderr)
    case "ModuleApi":
      return payload.data.length
  }
}

/** Handles a call of the node and builds the module's answer. It never rejects: an error is an answer. */
export const invocationResult = async <D extends SettingDefaults>(
  parts: ModuleParts<D>,
  { correlation_id, invocation_type }: ModuleMessageOf<"Invocation">,
  context: ModuleContext<D>
): Promise<ModuleMessageOf<"InvocationResult">> => {
  const result = { _tag: "InvocationResult", correlation_id } as const
  try {
    const payload = await answered(parts, invocation_type, context)
    const bytes = bytesOf(payload)
    if (bytes > MOST_BYTES) throw new NodeError("ResourceExhausted", `the answer has ${bytes} bytes`)
    return { ...result, success: true, payload, error: undefined }
  } catch (error) {
    return {
      ...result,
      success: false,
      payload: error instanceof RpcError ? { _tag: "Rpc", result: JSON.stringify({ code: error.code }) } : undefined,
      error: error instanceof NodeError
        ? ipcErrorText({ kind: error.kind, text: error.message })
        : error instanceof Error
        ? error.message
        : String(error)
    }
  }
}
