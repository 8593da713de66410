import t from 'tap'
import { isRegular, notYet, parseListened, withSeconds } from './listened.ts'

t.test('a regular listened on two days, or for a quarter of an hour', async (t) => {
  const once = withSeconds(notYet, 15, '2026-11-22')
  t.notOk(isRegular(once))
  t.notOk(isRegular(withSeconds(once, 884, '2026-11-22')))
  t.ok(isRegular(withSeconds(once, 885, '2026-11-22')))
  const twice = withSeconds(once, 15, '2026-11-23')
  t.ok(isRegular(twice))
  t.same(withSeconds(twice, 15, '2026-11-24').days, ['2026-11-23', '2026-11-24'])
})

t.test('what was stored is read again, and anything else counts as nothing', async (t) => {
  const listened = withSeconds(notYet, 15, '2026-11-22')
  t.same(parseListened(JSON.stringify(listened)), listened)
  for (const json of [null, '', '5', '{}', '{"seconds":-1,"days":[]}', '{"seconds":1,"days":"a"}'])
    t.same(parseListened(json), notYet, String(json))
})
