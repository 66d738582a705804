import { ScriptFlag, type ScriptFlags } from "../script/flags.ts"

/** What scripts are judged under before they are relayed: every flag but SIGPUSHONLY, which POL-033 stands for. */
export const STANDARD_FLAGS: ScriptFlags = Object.values(ScriptFlag).reduce((all, flag) => all | flag, 0) &
  ~ScriptFlag.SIGPUSHONLY
