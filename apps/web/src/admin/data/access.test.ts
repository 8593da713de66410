import type { PublicConfig } from '@solstice/contracts'
import t from 'tap'
import { type Account, accessTo } from './access.ts'

const config = {
  radioHostsMode: false,
  capabilities: { editSettings: true, donations: false },
} as PublicConfig
const helper: Account = { login: 'x', role: 'admin', privileges: ['stats', 'queue_manage'], authorized: true }
const boss: Account = { ...helper, role: 'super_admin', privileges: [] }

t.test('every admin may use what has no rule', async (t) => {
  t.same(accessTo({}, helper, config), { is: 'open' })
})

t.test('a missing privilege is denied and named; the super admin has them all', async (t) => {
  const rule = { allOf: ['queue_manage', 'mode_switch'] } as const
  t.same(accessTo(rule, helper, config), { is: 'denied', missing: ['mode_switch'] })
  t.same(accessTo(rule, boss, config), { is: 'open' })
})

t.test('one of several privileges is enough', async (t) => {
  t.same(accessTo({ anyOf: ['radio_host', 'stats'] }, helper, config), { is: 'open' })
  const anyOf = ['radio_host', 'radio_moderator'] as const
  t.same(accessTo({ anyOf }, helper, config), { is: 'denied', missing: anyOf, isAny: true })
  t.same(accessTo({ allOf: ['mode_switch'], anyOf }, helper, config), {
    is: 'denied',
    missing: ['mode_switch'],
  })
})

t.test('what the station has not is hidden, even from the super admin', async (t) => {
  t.same(accessTo({ capabilities: ['donations'] }, boss, config), { is: 'hidden' })
  t.same(accessTo({ capabilities: ['donations', 'editSettings'] }, helper, config), { is: 'open' })
  t.same(accessTo({ hosting: true }, boss, config), { is: 'hidden' })
  t.same(accessTo({ hosting: true }, boss, { ...config, radioHostsMode: true }), { is: 'open' })
})

t.test('what is for the super admin is hidden from others', async (t) => {
  t.same(accessTo({ super: true }, helper, config), { is: 'hidden' })
  t.same(accessTo({ super: true }, boss, config), { is: 'open' })
})
