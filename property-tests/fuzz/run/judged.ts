import type { AnyTarget, Providers } from "../target.ts"

/** What a target finds wrong with an input, its exceptions included. */
export const findingIn = async (
  target: AnyTarget,
  input: unknown,
  providers: Providers
): Promise<string | undefined> => {
  try {
    return await target.judge(input as never, providers)
  } catch (error) {
    return `exception: ${error instanceof Error ? `${error.name}: ${error.message}` : String(error)}`
  }
}

/** What sort of finding it is: two of one kind have one cause, more often than not. */
export const kindOf = (finding: string): string => (finding.startsWith("exception") ? finding : finding.split(":")[0]!)
