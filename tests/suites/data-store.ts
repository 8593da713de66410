import type { Test } from 'tap'
import { changeSuite, contentsSuite, sharingSuite } from './data-store-changes.ts'
import { keySuite } from './data-store-keys.ts'
import type { PrepareLocation } from './records.ts'

/** The contract of the port `DataStore`, for every implementation. */
export function dataStoreSuite(t: Test, prepareLocation: PrepareLocation): void {
  const place: PrepareLocation = async (t) => {
    const openStore = await prepareLocation(t)
    return async () => {
      const data = await openStore()
      t.teardown(() => data.close())
      return data
    }
  }
  keySuite(t, place)
  changeSuite(t, place)
  sharingSuite(t, place)
  contentsSuite(t, place)

  t.test('a closed store refuses changes', async (t) => {
    const data = await (await prepareLocation(t))()
    const last = data.offsets.put({ key: 'a', offset: 1 })
    await data.close()
    await last
    await t.rejects(data.offsets.put({ key: 'b', offset: 1 }))
  })
}
