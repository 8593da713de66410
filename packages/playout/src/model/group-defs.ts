/** Artists by group, in order. The last group takes everybody whom no group names. */
export type GroupDefs = Readonly<Record<string, readonly string[]>>
