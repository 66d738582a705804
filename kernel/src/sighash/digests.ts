export interface SpendDigests {}
