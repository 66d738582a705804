/** The command was asked wrongly: its message is all that is shown, and the exit code is 2. */
export class UsageError extends Error {}
