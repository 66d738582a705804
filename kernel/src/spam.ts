/** What an operator may call spam: off unless asked for, and never a question about a block. */
export { checkSpam } from "./spam/check-spam.ts"
export { spamPolicy, type SpamPolicy, type SpamPreset } from "./spam/spam-policy.ts"
