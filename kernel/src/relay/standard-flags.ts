import { ScriptFlag, type ScriptFlags } from "../script/flags.ts"

/** Flags for scripts before they are relayed: every flag except SIGPUSHONLY, which POL-033 replaces. */
export const STANDARD_FLAGS: ScriptFlags = Object.values(ScriptFlag).reduce((all, flag) => all | flag, 0) &
  ~ScriptFlag.SIGPUSHONLY
