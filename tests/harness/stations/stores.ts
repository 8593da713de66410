/** The stores that test stations use. */
export type Stores = 'json+local' | 'sql+local' | 'sql+cloud'

export const allStores: readonly Stores[] = ['json+local', 'sql+local', 'sql+cloud']

/** Makes the stations of this test file use these stores, unless the run names others: `npm test -- --stores=sql+cloud`. */
export function useStores(stores: Stores): void {
  for (const [name, value] of Object.entries(environmentOf(stores))) process.env[name] ??= value
}

/** The environment by which a test file learns this. */
export function environmentOf(stores: Stores): Record<string, string> {
  const [data, media] = stores.split('+') as [string, string]
  return { TEST_DATA: data, TEST_MEDIA: media }
}
