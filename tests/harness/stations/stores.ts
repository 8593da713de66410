/** What stations of tests keep their memory and their files in. */
export type Stores = 'json+local' | 'sql+local' | 'sql+cloud'

export const allStores: readonly Stores[] = ['json+local', 'sql+local', 'sql+cloud']

/** Has the stations of this test file use these stores, unless the run says which: `npm test -- --stores=sql+cloud`. */
export function useStores(stores: Stores): void {
  for (const [name, value] of Object.entries(environmentOf(stores))) process.env[name] ??= value
}

/** What tells the harness of a test file so. */
export function environmentOf(stores: Stores): Record<string, string> {
  const [data, media] = stores.split('+') as [string, string]
  return { TEST_DATA: data, TEST_MEDIA: media }
}
