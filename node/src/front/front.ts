/** The programs of which a node can have the options, the files and the words. */
type Front = "bitcoind" | "lockstep"

/** The program that this process is: its launcher says so at each start, and worker threads inherit that. */
export const FRONT: Front = process.env["LOCKSTEP_FRONT"] === "bitcoind" ? "bitcoind" : "lockstep"

/** What the program that runs says, where its words are not only another name for a setting. */
export const byFront = <A>(words: Readonly<Record<Front, A>>): A => words[FRONT]
