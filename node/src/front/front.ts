/** The programs whose options, files and messages a node can have. */
type Front = "bitcoind" | "lockstep"

/** The program that this process is. Its launcher sets it at each start, and worker threads inherit it. */
export const FRONT: Front = process.env["LOCKSTEP_FRONT"] === "bitcoind" ? "bitcoind" : "lockstep"

/** Returns the text of the running program, for texts that differ in more than the name of a setting. */
export const byFront = <A>(words: Readonly<Record<Front, A>>): A => words[FRONT]
