/** The one layer that the shell has open above a part. */
export type Layer = 'palette' | 'keys' | 'more'
