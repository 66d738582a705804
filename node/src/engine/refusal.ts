import type { EngineRefusal } from "./api/engine-calls.ts"

/** Codes of Bitcoin Core's RPC that the engine answers with. */
export const RefusalCode = {
  MISC: -1,
  INVALID_ADDRESS_OR_KEY: -5,
  INVALID_PARAMETER: -8,
  DATABASE: -20,
  DESERIALIZATION: -22,
  VERIFY: -25,
  INTERNAL: -32_603
} as const

/** The engine refuses a call. */
export const refusal = (code: number, message: string): EngineRefusal => ({ _tag: "EngineRefusal", code, message })
