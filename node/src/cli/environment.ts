import { variablesWithBytes } from "../bytes/process-words.ts"

/** The variables this process was started with: the commands read them here, and pass on what others need. */
export const environment: Readonly<Record<string, string | undefined>> = variablesWithBytes(process.env)
