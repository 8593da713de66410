import { failures, type RadioState } from '@solstice/contracts'
import t from 'tap'
import { asAdmin, command } from '../../harness/people/admin.ts'
import type { SocketClient } from '../../harness/people/socket-client.ts'
import { openReplica } from '../../harness/stations/replica.ts'
import { useStores } from '../../harness/stations/stores.ts'
import { startAir } from '../../harness/stations/workers.ts'
import { DAY, FREE, logged, station, WISH } from './queue-station.ts'

useStores('sql+local')

t.test(
  'listeners ask and admins decide, on any replica; a request outlives sockets and workers',
  async (t) => {
    const env = { ...DAY, QUEUE_ADD_COOLDOWN_S: '0' }
    const one = await openReplica(t, env)
    const two = await openReplica(t, env, one)
    const songs = Array.from({ length: 15 }, (_, i) => `day/song ${i}.mp3`)
    await Promise.all(songs.map((id) => one.addTrack(id, null, { duration: 600 })))
    const ends: (() => unknown)[] = []
    const air = await startAir({ teardown: (end) => void ends.push(end) }, one.ports)
    // Neither the song on air nor the next one may be requested.
    const later = air.state.playlist.entries[3]!.track.id
    await one.addTrack(WISH.id, null, { artist: 'Wished', duration: 600 })
    await one.addTrack('night/owl.mp3', null)

    const [ann, sameAnn, bob, carol] = [
      await one.join('203.0.113.10'),
      await two.join('203.0.113.10'),
      await two.join('203.0.113.11'),
      await two.join('203.0.113.12'),
    ]
    const suggest = (client: SocketClient, id: unknown = WISH.id) =>
      client.ask('suggest_song', { id, title: 'Mine', artist: 'Me' })
    const anything = [WISH.id, 'day/nowhere.mp3', 'night/owl.mp3', '', 5, null, 'x'.repeat(600)]
    for (const id of anything) t.same(await suggest(ann, id), { error: 'no_uid' })
    for (const payload of [[], [null], ['x'], [5]]) {
      t.same(await ann.ask('suggest_song', ...payload), { error: 'no_uid' })
    }
    const uids: string[] = []
    for (const client of [ann, sameAnn, bob, carol]) {
      client.socket.emit('listener_init')
      const life = await client.first<{ uid: string }>('listener_uid')
      t.match(life, { cooldownSecsLeft: 0 })
      uids.push(life.uid)
    }
    for (const id of anything) t.same(await suggest(ann, id), { error: 'no_admin' })
    const admin = await one.joinAs(['queue_manage'])
    await Promise.all(
      [ann, sameAnn, bob, carol].map((client) =>
        client.first<boolean>('admin_online', (isOnline) => isOnline),
      ),
    )
    for (const id of anything.slice(1)) t.same(await suggest(ann, id), { error: 'not_found' })
    t.same(await ann.ask('suggest_song'), { error: 'not_found' })

    const asked = await Promise.all([ann, ann, sameAnn, sameAnn].map((client) => suggest(client)))
    const accepted = asked.findIndex((answer) => (answer as { ok?: true }).ok)
    const late = (answer: unknown) => {
      const { error, secsLeft } = answer as { error: string; secsLeft: number }
      return error === 'cooldown' && secsLeft > 200 && secsLeft <= 300
    }
    t.equal(asked.filter(late).length, 3, 'one of four that come at the same time')
    const [requester, bystander] = accepted < 2 ? [ann, sameAnn] : [sameAnn, ann]
    t.same(await requester.first('suggest_cooldown_update'), 300)
    t.same(await bystander.first('suggest_cooldown_update'), 300, 'all sockets of the listener, everywhere')
    t.same(bob.all('suggest_cooldown_update'), [])
    for (const id of anything)
      t.ok(late(await suggest(bystander, id)), 'the cooldown comes before what is asked for')
    const again = await two.join('203.0.113.10')
    again.socket.emit('listener_init')
    const { cooldownSecsLeft } = await again.first<{ cooldownSecsLeft: number }>('listener_uid')
    t.ok(cooldownSecsLeft > 200 && cooldownSecsLeft <= 300)
    const request = { uid: uids[0], song: WISH }
    t.match(await admin.first<object[]>('suggestions_update', (list) => list.length === 1), [request])

    admin.forget()
    const boss = await two.join()
    boss.socket.emit('admin_active', (await asAdmin(two)).token)
    t.match(await boss.first('suggestions_update'), [request], 'an admin who joins is told')
    t.match(await admin.first('suggestions_update'), [request], 'and so does everybody else')
    t.equal(requester.all('suggestion_result').length, 0)
    const decide = (uid: string | undefined, action: string) =>
      command(boss, 'admin_suggestion_action', { uid, action })
    t.match(await decide(uids[0], 'add'), { code: 'QUEUE_SUGGESTION_ACCEPTED' })
    t.same(await requester.first('suggestion_result'), { accepted: true, auto: false, song: WISH })
    const next = await bob.first<RadioState>('sync', ({ playlist }) => playlist[0]?.id === WISH.id)
    t.match(next.playlist[0], { ...WISH, orderType: 'lastinline' })
    t.match(await logged(boss, 'suggestion_accept'), { data: { title: 'wish', artist: 'Wished' } })
    await admin.first<object[]>('suggestions_update', (list) => list.length === 0)
    t.match(await decide(uids[0], 'add'), { code: 'SUGGESTION_NOT_FOUND' })
    t.match(await decide(uids[0], 'reject'), { code: 'SUGGESTION_NOT_FOUND' })

    t.same(await suggest(bob), { ok: true })
    t.match(await decide(uids[2], 'add'), {
      code: 'QUEUE_SUGGESTION_INJECT_FAILED',
      reason: 'duplicate_nearby',
    })
    t.same(bob.all('suggestion_result'), [], 'it is still to be decided')
    boss.forget()
    // Any action other than `add` rejects.
    boss.socket.emit('admin_suggestion_action', { uid: uids[2], action: 'skip' })
    t.same(await bob.first('suggestion_result'), { accepted: false, auto: false, song: WISH })
    t.match(await logged(boss, 'suggestion_reject'), { data: { title: 'wish', artist: 'Wished' } })
    for (const event of ['admin_success', 'admin_error']) t.same(boss.all(event), [], event)
    t.same(bystander.all('suggestion_result'), [], 'only the socket that asked')
    for (const client of [ann, bob, carol]) t.same(client.all('suggestions_update'), [])

    t.same(await suggest(carol, later), { ok: true })
    const byCarol = [{ uid: uids[3], song: { id: later } }]
    const isCarols = ([first]: { uid: string }[]) => first?.uid === uids[3]
    carol.socket.disconnect()
    await admin.first('suggestions_update', isCarols)
    for (const end of ends.toReversed()) await end()

    // Nobody is on air: the reply says so, and the command is not carried out later.
    const [refusal, dave] = [
      command(admin, 'admin_add_song', { id: 'day/song 5.mp3', orderType: 'donated' }),
      await one.join('203.0.113.13'),
    ]
    dave.socket.emit('listener_init')
    t.same(await suggest(dave), { error: 'cooldown', secsLeft: 10 })
    t.match(await refusal, { code: 'QUEUE_ADD_FAILED', ...failures.AIR_UNAVAILABLE.text })
    admin.forget()
    const restarted = await startAir(t, one.ports)
    t.equal(restarted.state.trackRequests.length, 1)
    t.same(await suggest(dave), { ok: true }, 'asking again is safe')
    t.match(await admin.first('suggestions_update', isCarols), byCarol)
    const { trackRequests, playlist } = await restarted.until((state) => state.trackRequests.length === 2)
    t.equal(trackRequests[0]?.uid, uids[3])
    t.notOk(playlist.entries.some(({ orderType }) => orderType === 'donated'))
    t.ok(late(await suggest(ann)), 'its predecessor’s cooldowns hold')

    await Promise.all([one.app.close(), two.app.close()])
    const three = await openReplica(t, env, one)
    const sameAgain = await three.join('203.0.113.10')
    sameAgain.socket.emit('listener_init')
    t.ok((await sameAgain.first<{ cooldownSecsLeft: number }>('listener_uid')).cooldownSecsLeft > 100)
    t.match(await suggest(sameAgain), { error: 'cooldown' }, 'before it is said that no admin is there')
    const back = await three.join()
    back.socket.emit('admin_active', (await asAdmin(three)).token)
    t.match(await back.first('suggestions_update'), [...byCarol, { song: WISH }])
    t.match(await command(back, 'admin_suggestion_action', { uid: uids[3], action: 'add' }), {
      code: 'QUEUE_SUGGESTION_ACCEPTED',
    })
  },
)

t.test('limits of 0 are off; undecided requests expire; a new privilege shows the requests', async (t) => {
  const limits = { ...FREE, SUGGEST_COOLDOWN_S: '0', SUGGEST_EXPIRY_S: '1' }
  const [one, two] = await station(t, { ...DAY, ...limits })
  const { data, announcer } = one.ports
  const [admin, listener, helper] = [await one.joinAs(), await two.join(), await two.joinAs(['stats'])]
  listener.socket.emit('listener_init')
  const { uid } = await listener.first<{ uid: string }>('listener_uid')
  await listener.first<boolean>('admin_online', (isOnline) => isOnline)
  for (let round = 0; round < 2; round++) {
    listener.forget()
    admin.forget()
    t.same(await listener.ask('suggest_song', { id: WISH.id }), { ok: true }, 'no cooldown')
    t.same(await listener.first('suggest_cooldown_update'), 0)
    await admin.first<object[]>('suggestions_update', (list) => list.length === 1)
    t.same(await listener.first('suggestion_result'), { accepted: false, auto: true, song: WISH })
    await admin.first<object[]>('suggestions_update', (list) => list.length === 0)
  }
  t.match(await command(admin, 'admin_suggestion_action', { uid, action: 'add' }), {
    code: 'SUGGESTION_NOT_FOUND',
  })
  for (let i = 0; i < 2; i++) {
    t.match(await command(admin, 'admin_skip_song'), { code: 'QUEUE_SONG_SKIPPED' })
    t.match(await command(admin, 'admin_remove_song', 1), { code: 'QUEUE_SONG_REMOVED' })
  }

  helper.forget()
  const { adminId } = (await data.admins.find())[0]!
  await data.admins.update({ adminId }, { privileges: ['queue_manage'] })
  announcer.accountChanged({ adminId, kind: 'privileges' })
  t.match(await helper.first('privileges_updated'), { privileges: ['queue_manage'] })
  t.same(await helper.first('suggestions_update'), [])
})
