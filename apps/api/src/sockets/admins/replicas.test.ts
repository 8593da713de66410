import { type AuditEntry, coded, type RadioState, type User } from '@solstice/contracts'
import { defaultSettings, type SettingsRecord, SUPER_ADMIN_ID } from '@solstice/station'
import t, { type Test } from 'tap'
import { asAdmin, SUPER_ADMIN } from '../../../../../tests/harness/people/admin.ts'
import {
  addHelper,
  answerTo,
  entry,
  isAdmin,
  joinAs,
  type Replica,
  replica,
} from '../../../../../tests/harness/people/admin-sockets.ts'
import type { SocketClient } from '../../../../../tests/harness/people/socket-client.ts'
import { useStores } from '../../../../../tests/harness/stations/stores.ts'
import { until } from '../../../../../tests/harness/until.ts'
import { aliases, superAdminAlias } from '../presence/aliases.ts'

useStores('sql+local')

async function twoReplicas(t: Test, env: Record<string, string> = {}): Promise<[Replica, Replica]> {
  const one = await replica(t, env)
  return [one, await replica(t, env, one)]
}

/** The admins that a newcomer is shown. */
async function shownAdmins({ join }: Replica): Promise<User[]> {
  const list = await (await join()).first<User[]>('usersUpdate')
  return list.filter(({ isAdmin }) => isAdmin)
}

t.test('an account has at most eight admin sockets across all replicas: the oldest is closed', async (t) => {
  const [one, two] = await twoReplicas(t)
  const helper = await addHelper(one.ports, ['queue_manage'])
  const windows: SocketClient[] = []
  for (let i = 0; i < 8; i++) windows.push(await joinAs(i % 2 ? two : one, helper))
  const [first, second, third] = windows as [SocketClient, SocketClient, SocketClient]
  t.same(
    await Promise.all(windows.map(isAdmin)),
    windows.map(() => true),
    'each window counts separately',
  )
  const shown = await shownAdmins(one)
  t.equal(shown.length, 1, 'the roster shows the account once')

  windows.push(await joinAs(two, helper))
  t.equal(await first.first('admin_error'), JSON.stringify(coded('ADMIN_SESSION_REPLACED')))
  t.notOk(await isAdmin(first), 'the oldest, on the other replica')
  t.ok(first.socket.connected, 'as a listener it stays')
  t.equal(first.all('admin_error').length, 1, 'it is told once')
  t.same(
    await Promise.all(windows.slice(1).map(isAdmin)),
    windows.slice(1).map(() => true),
  )
  for (const client of windows) t.same(client.all('force_logout'), [])
  t.same(second.all('admin_online'), [], 'somebody was online all the time')

  first.socket.emit('admin_active', one.tokenOf(helper))
  t.equal(await second.first('admin_error'), JSON.stringify(coded('ADMIN_SESSION_REPLACED')))
  t.ok(await isAdmin(first), 'who asks again is the newest')
  third.forget()
  third.socket.emit('admin_active', two.tokenOf(helper))
  await third.first('admin_confirmed')
  t.same(
    await Promise.all(windows.map(isAdmin)),
    windows.map((client) => client !== second),
  )

  const many = await Promise.all(Array.from({ length: 8 }, (_, i) => (i % 2 ? two : one).join()))
  for (const [i, { socket }] of many.entries())
    socket.emit('admin_active', (i % 2 ? two : one).tokenOf(helper))
  await Promise.all(many.map((client) => client.first('admin_confirmed')))
  const everybody = [...windows, ...many]
  await until('of many that come at the same moment eight stay', async () => {
    return (await Promise.all(everybody.map(isAdmin))).filter(Boolean).length === 8
  })
  t.same(
    await Promise.all(many.map(isAdmin)),
    many.map(() => true),
    'the newest',
  )
  for (const { socket } of everybody) if (socket !== many[0]!.socket) socket.disconnect()
  t.same(await shownAdmins(one), shown, 'and the same all the time')
})

t.test('changes to an account reach its sockets on every replica', async (t) => {
  const [one, two] = await twoReplicas(t)
  const { data, announcer } = two.ports
  const helper = await addHelper(one.ports, ['queue_manage', 'stats'])
  const { adminId } = helper
  const admin = await joinAs(one, helper)
  const listener = await two.join()
  await listener.first('admin_online', (isOnline) => isOnline === true)
  listener.forget()

  await data.admins.update({ adminId }, { privileges: ['stats', 'editor_meta'] })
  announcer.accountChanged({ adminId, kind: 'privileges' })
  const updated = { privileges: ['stats', 'editor_meta'], authorized: true }
  t.same(await admin.first('privileges_updated'), updated)
  t.equal(await listener.first('admin_online'), false, 'nobody may answer any more')
  announcer.accountChanged({ adminId, kind: 'privileges' })
  announcer.tell({ privilege: 'queue_manage' }, 'jingles_updated')
  announcer.tell({ privilege: 'editor_meta' }, 'queue_updated', {})
  await admin.first('queue_updated')
  t.same(admin.all('jingles_updated'), [], 'hears nothing more of what it may not do')
  t.equal(admin.all('privileges_updated').length, 1, 'news that changes nothing is not told')

  admin.forget()
  listener.forget()
  await data.admins.update({ adminId }, { privileges: ['queue_manage'], authorized: false })
  announcer.accountChanged({ adminId, kind: 'password-reset' })
  t.same(await admin.first('force_logout'), { reason: 'password_reset' })
  t.notOk(await isAdmin(admin))
  announcer.tell('admins', 'audit_new_entry', entry)

  admin.forget()
  admin.socket.emit('admin_active', one.tokenOf(helper))
  t.match(await admin.first('admin_confirmed'), { authorized: false })
  announcer.tell('admins', 'audit_new_entry', entry)
  await data.admins.update({ adminId }, { authorized: true })
  announcer.accountChanged({ adminId, kind: 'privileges' })
  t.same(await admin.first('privileges_updated'), { privileges: ['queue_manage'], authorized: true })
  t.equal(await listener.first('admin_online'), true, 'with its activation')
  await admin.ask('stream_ping', 1)
  t.equal(admin.all('library_updated').length, 1, 'it reads the library that it could not see')
  t.same(listener.all('library_updated'), [], 'nobody else does')
  t.same(admin.all('audit_new_entry'), [], 'nothing of admins before that')
  t.ok(await isAdmin(admin))

  listener.forget()
  await data.admins.delete({ adminId })
  announcer.accountChanged({ adminId, kind: 'deleted' })
  t.same(await admin.first('force_logout'), { reason: 'admin_deleted' })
  t.equal(await listener.first('admin_online'), false)
  t.notOk(await isAdmin(admin))
  t.ok(admin.socket.connected, 'as a listener it stays')
  const nobody = (list: User[]) => !list.some((user) => user.isAdmin)
  await listener.first<User[]>('usersUpdate', nobody)
})

t.test('changes missed while Redis was away are applied when it is back', async (t) => {
  const [one, two] = await twoReplicas(t)
  const { data } = one.ports
  const [changed, deleted, twice] = await Promise.all([
    addHelper(one.ports, ['stats']),
    addHelper(one.ports, ['stats']),
    addHelper(one.ports, ['queue_manage']),
  ])
  const clients = [await joinAs(one, changed), await joinAs(two, deleted)] as const
  const older = await joinAs(one, twice)
  await one.redis.process.end()
  await data.admins.update({ adminId: changed.adminId }, { privileges: ['jingles_uploader'] })
  await data.admins.delete({ adminId: deleted.adminId })
  const newer = await joinAs(two, twice)
  t.ok(await isAdmin(newer), 'admins can come while Redis is away')
  t.ok(await isAdmin(older))
  await one.redis.restart()
  t.match(await clients[0].first('privileges_updated'), { privileges: ['jingles_uploader'] })
  t.same(await clients[1].first('force_logout'), { reason: 'admin_deleted' })
  t.same([await isAdmin(older), await isAdmin(newer)], [true, true])
})

t.test('events reach their audience on every replica, and nobody else', async (t) => {
  const [one, two] = await twoReplicas(t, SUPER_ADMIN)
  const { announcer } = one.ports
  const boss = await joinAs(two, {
    adminId: SUPER_ADMIN_ID,
    login: 'admin',
    role: 'super_admin',
    privileges: [],
    authorized: true,
  })
  const worker = await addHelper(one.ports, ['stats'])
  const helper = await joinAs(two, worker)
  const idle = await joinAs(one, await addHelper(one.ports, ['stats'], false))
  const listener = await two.join()
  const clients = [boss, helper, idle, listener]
  const authorized = { adminId: 'x', login: 'x', authorized: true } as const
  announcer.tell('admins', 'audit_new_entry', entry)
  announcer.tell('super-admin', 'admin_authorized', authorized)
  announcer.tell({ privilege: 'donations_manage' }, 'queue_updated', {})
  announcer.announce('library_updated')
  await Promise.all(clients.map((client) => client.first('library_updated')))
  const heard = (event: string) => clients.map((client) => client.all(event).length)
  t.same(heard('audit_new_entry'), [1, 1, 0, 0])
  t.same(heard('admin_authorized'), [1, 0, 0, 0])
  t.same(heard('queue_updated'), [1, 0, 0, 0], 'the super admin holds every privilege')

  listener.socket.emit('listener_init')
  const { uid } = await listener.first<{ uid: string }>('listener_uid')
  announcer.tell({ uid }, 'suggestions_update', [])
  announcer.tell({ uid: uid.replace(/./g, '0') }, 'queue_updated', {})
  await listener.first('suggestions_update')
  t.same(heard('queue_updated'), [1, 0, 0, 0], 'one listener is not the other')

  const newcomer = await one.join()
  t.equal(newcomer.all('admin_online')[0], true)
  const list = await newcomer.first<User[]>('usersUpdate', (list) => list.length === 5)
  t.match(list[0], { isAdmin: true })
  const bossUser = list.find((user) => user.isSuperAdmin)
  t.match(bossUser, { name: superAdminAlias.name, img: superAdminAlias.img, isAdmin: true })
  const helpers = list.filter((user) => user.isAdmin && !user.isSuperAdmin)
  t.equal(helpers.length, 2)
  for (const { name, img } of helpers) {
    const worn = aliases.find((alias) => alias.img === img)
    t.same(name, { uk: `Адмін ${worn?.name.uk}`, en: `Admin ${worn?.name.en}` })
  }
  for (const user of list.slice(3)) {
    t.same(Object.keys(user).sort(), ['color', 'img', 'name'])
    t.notMatch(user.name.en, /^Admin/)
  }
  t.same(await answerTo(newcomer, 'suggest_song', { id: 'day/one.mp3' }), { error: 'no_uid' })

  const { ask } = await asAdmin(one)
  const account = `/api/admin/admins/${worker.adminId}`
  t.equal((await ask(`PUT ${account}/privileges`, { privileges: ['stats', 'radio_host'] })).status, 200)
  t.match(await helper.first('privileges_updated'), { authorized: true })
  t.equal((await ask(`DELETE ${account}`)).status, 200)
  t.same(await helper.first('force_logout'), { reason: 'admin_deleted' }, 'asked on the other replica')
  await boss.first<AuditEntry>('audit_new_entry', ({ id }) => id !== entry.id)

  newcomer.forget()
  boss.socket.disconnect()
  t.equal(await newcomer.first('admin_online'), false, 'the only one who could answer has left')
  await newcomer.first<User[]>('usersUpdate', (list) => !list.some((user) => user.isSuperAdmin))
})

t.test('listeners see saved settings at once, from every replica', async (t) => {
  const [one, two] = await twoReplicas(t)
  const listener = await two.join()
  const { branding } = structuredClone(defaultSettings)
  branding.byLang.en.dayRadioName = 'Another name'
  const record: SettingsRecord = { section: 'branding', value: branding, revision: 1 }
  await one.ports.data.settings.put(record)
  one.ports.announcer.settingsChanged()
  await listener.first<RadioState>('sync', ({ uiSettings }) => {
    return uiSettings.byLang.en.dayRadioName === 'Another name'
  })
  t.pass('told')
})
