import type { Settings } from '@solstice/contracts'
import t from 'tap'
import { changedSince, extend, isEmpty, pruned, withPatch } from './draft.ts'

const settings = {
  branding: { messenger_url: '', byLang: {} },
  generation: { JINGLES_FREQUENCY: 2, GROUP_DEFS: { A: ['x'], B: [] } },
  radioHosts: { guestMaxDurationMinutes: 15 },
  artistArts: { dayEnabled: true, nightEnabled: true },
} as unknown as Settings

t.test('unsaved fields lie over the saved ones, so that others’ changes of other fields show', async (t) => {
  const patch = extend({}, 'artistArts', { dayEnabled: false })
  const saved = { ...settings, artistArts: { dayEnabled: true, nightEnabled: false } }
  t.same(withPatch(saved, patch).artistArts, { dayEnabled: false, nightEnabled: false })
  t.equal(withPatch(saved, patch).generation.JINGLES_FREQUENCY, 2)
})

t.test('what was changed back is no change', async (t) => {
  const patch = extend(extend({}, 'generation', { JINGLES_FREQUENCY: 3 }), 'artistArts', {
    dayEnabled: false,
  })
  t.same(pruned(settings, patch), patch)
  const back = extend(patch, 'generation', { JINGLES_FREQUENCY: 2 })
  t.same(pruned(settings, back), { artistArts: { dayEnabled: false } })
  t.ok(isEmpty(pruned(settings, extend(back, 'artistArts', { dayEnabled: true }))))
})

t.test('the order of groups is a change', async (t) => {
  t.notOk(isEmpty(pruned(settings, extend({}, 'generation', { GROUP_DEFS: { B: [], A: ['x'] } }))))
})

t.test('what was changed while the rest was being saved stays unsaved', async (t) => {
  const sent = extend({}, 'generation', { GROUP_DEFS: { ' A ': ['x'] } })
  const tidied = { ...settings, generation: { ...settings.generation, GROUP_DEFS: { A: ['x'] } } }
  t.same(changedSince(sent, tidied, sent), {})
  const later = extend(extend(sent, 'generation', { JINGLES_FREQUENCY: 5 }), 'artistArts', {
    dayEnabled: false,
  })
  t.same(changedSince(sent, tidied, later), {
    generation: { JINGLES_FREQUENCY: 5 },
    artistArts: { dayEnabled: false },
  })
})
