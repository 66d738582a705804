import { variablesWithBytes } from "../bytes/process-words.ts"

/** The environment variables of this process: commands read them here and pass them on. */
export const environment: Readonly<Record<string, string | undefined>> = variablesWithBytes(process.env)
