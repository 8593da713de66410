import { type FailureCode, failureBody, listening, type Route } from '@solstice/contracts'
import t, { type Test } from 'tap'
import { createTokens, type Tokens } from '../../../apps/api/src/auth/tokens.ts'
import { named, type Sent, TRACK, url, ways } from '../../harness/people/listener-routes.ts'
import { openApp } from '../../harness/stations/app.ts'

/** Access to the other routes is tested in access.test.ts. */
const listenerRoutes = Object.values(listening).filter((route: Route) =>
  ['public', 'art', 'art+audio'].includes(route.access as string),
) as Route[]

const HOUR_MS = 3_600_000

/** Every way in which a token can be wrong. */
function wrongTokens(
  tokens: Tokens,
  good: { uid: string; artToken: string; audioToken: string },
  nowMs: () => number,
): { art: Record<string, string>; audio: Record<string, string> } {
  const config = { artTokenTtlS: 3600, audioTokenTtlS: 900 }
  const strangers = createTokens({ ...config, artTokenSecret: 'another secret' })
  const nameless = createTokens({ ...config, artTokenSecret: '' })
  const forge = (token: string, issue: (from: Tokens, atMs: number) => string) => ({
    ...Object.fromEntries(
      [0, 0.3, 0.5, 0.7, 0.99].map((place) => [`bit flipped at ${place}`, flipped(token, place)]),
    ),
    garbage: 'garbage',
    'three empty parts': '..',
    'cut short': token.slice(0, -1),
    'cut to half': token.slice(0, token.length / 2),
    'longer by a letter': `${token}A`,
    'with padding': `${token}=`,
    'without signature': token.replace(/\.[^.]*$/, '.'),
    'very long': token.padEnd(3_000, 'A'),
    'signed by a stranger': issue(strangers, nowMs()),
    'signed with an empty secret': issue(nameless, nowMs()),
    expired: issue(tokens, nowMs() - HOUR_MS - 1),
    'of next week': issue(tokens, nowMs() + 7 * 24 * HOUR_MS),
    'of 90 s from now': issue(tokens, nowMs() + 90_000),
  })
  return {
    art: {
      ...forge(good.artToken, (from, atMs) => from.issueArtToken(good.uid, atMs).token),
      'of the other kind': good.audioToken,
      'of another uid, with our signature': mixed(
        good.artToken,
        tokens.issueArtToken('0'.repeat(36), nowMs()).token,
      ),
    },
    audio: {
      ...forge(good.audioToken, (from, atMs) => from.issueAudioToken(good.uid, atMs).token),
      'of the other kind': good.artToken,
    },
  }
}

function flipped(token: string, place: number): string {
  const at = Math.floor(token.length * place)
  const char = token[at] === '.' ? '_' : String.fromCharCode(token.charCodeAt(at) ^ 1)
  return token.slice(0, at) + char + token.slice(at + 1)
}

function mixed(ours: string, theirs: string): string {
  const [, key, signature] = ours.split('.')
  return [theirs.split('.')[0], key, signature].join('.')
}

t.test('the guards', async (t) => {
  const { app, ports, tokens, addTrack, passes } = await openApp(t)
  await addTrack(TRACK)
  const good = passes()
  const other = passes(tokens.uidOf('192.0.2.7'))
  const bad = wrongTokens(tokens, good, () => ports.clock.nowMs())

  const refused = async (t: Test, route: Route, code: FailureCode, request: Sent, why: string) => {
    const answer = await app.inject({
      method: route.method,
      url: url(route, request.query),
      headers: request.headers,
    })
    t.equal(answer.statusCode, 401, `${why}: status`)
    t.same(answer.json(), failureBody(code), `${why}: body`)
  }

  for (const route of listenerRoutes) {
    t.test(`${named(route)} is for ${route.access}`, async (t) => {
      for (const { headers, query } of ways(route.access, good)) {
        const answer = await app.inject({ method: route.method, url: url(route, query), headers })
        t.not(answer.statusCode, 401, `good tokens pass (${Object.keys(query).join() || 'headers'})`)
      }
      if (route.access === 'public') return

      await refused(t, route, 'ART_TOKEN_INVALID', { headers: {}, query: {} }, 'no token')
      for (const [why, artToken] of Object.entries(bad.art)) {
        for (const sent of ways(route.access, { ...good, artToken })) {
          await refused(t, route, 'ART_TOKEN_INVALID', sent, `art token: ${why}`)
        }
      }
      if (route.access !== 'art+audio') return

      const [inHeaders] = ways('art', good)
      await refused(t, route, 'AUDIO_TOKEN_INVALID', inHeaders!, 'no audio token')
      for (const [why, audioToken] of Object.entries({ ...bad.audio, 'of another uid': other.audioToken })) {
        for (const sent of ways(route.access, { ...good, audioToken })) {
          await refused(t, route, 'AUDIO_TOKEN_INVALID', sent, `audio token: ${why}`)
        }
      }
    })
  }

  t.test('a token in the wrong place is ignored', async (t) => {
    const query = { token: good.artToken, audioToken: good.audioToken }
    await refused(
      t,
      listening.getAudio,
      'ART_TOKEN_INVALID',
      { headers: {}, query },
      'token= beside audioToken=',
    )
    const twice = { 'x-art-token': `${good.artToken}, ${good.artToken}` }
    await refused(
      t,
      listening.getArtUrl,
      'ART_TOKEN_INVALID',
      { headers: twice, query: {} },
      'a header sent twice',
    )
  })

  t.test('an audio key works only for the uid of its art token', async (t) => {
    const ask = (uid?: string) =>
      app.inject({
        url: '/api/audio-key',
        headers: { 'x-art-token': good.artToken, ...(uid !== undefined && { 'x-listener-uid': uid }) },
      })
    t.equal((await ask()).statusCode, 400)
    t.match((await ask()).json(), { error: { code: 'BAD_REQUEST', field: 'x-listener-uid' } })
    for (const uid of [other.uid, good.uid.toUpperCase(), `${good.uid}0`, 'x']) {
      t.equal((await ask(uid)).statusCode, 401)
    }
    const answer = await ask(good.uid)
    t.equal(answer.headers['cache-control'], 'no-store')
    t.match(answer.json(), { token: /^[0-9a-f]{36}\.\d+\./, expiresIn: 900 })
  })

  t.test('range requests of a track outlive the tokens by its length, other requests do not', async (t) => {
    const issuedMs = ports.clock.nowMs() - HOUR_MS - 30_000
    const artToken = tokens.issueArtToken(good.uid, issuedMs).token
    const [sent] = ways('art+audio', { artToken, audioToken: good.audioToken })
    const ask = (track: string, headers = {}) =>
      app.inject({ url: url(listening.getAudio, { track }), headers: { ...sent!.headers, ...headers } })
    await addTrack('day/short.mp3', undefined, { duration: 29 })
    await addTrack('day/unknown.mp3', undefined, { duration: null })

    const served = ports.config.bucket ? 302 : 206
    t.equal((await ask(TRACK, { range: 'bytes=0-9' })).statusCode, served, 'of 60 s, 30 s after the end')
    t.equal((await ask(TRACK)).statusCode, 401, 'without a range')
    t.equal((await ask('day/short.mp3', { range: 'bytes=0-9' })).statusCode, 401, 'of 29 s')
    const unknown = await ask('day/unknown.mp3', { range: 'bytes=0-9' })
    t.equal(unknown.statusCode, served, 'of unknown length')
    t.equal(
      (await ask('day/none.mp3', { range: 'bytes=0-9' })).statusCode,
      401,
      'of a track that is not there',
    )
    const link = await app.inject({
      url: url(listening.getAudioUrl),
      headers: { ...sent!.headers, range: 'bytes=0-9' },
    })
    t.equal(link.statusCode, 401, 'an address is no range')
  })
})

t.test('hostile names open nothing', async (t) => {
  const { app, ports, addTrack, passes } = await openApp(t)
  await addTrack(TRACK)
  await ports.media.put('arts/somebody.jpg', Buffer.from('an image'))
  await ports.data.artists.put({ artist: 'somebody', hasArt: true, artFileName: 'somebody.jpg' })
  const headers = { 'x-art-token': passes().artToken, 'x-audio-token': passes().audioToken }
  const ask = async (address: string) => {
    const answer = await app.inject({ url: address, headers })
    return { status: answer.statusCode, code: (answer.json() as { error: { code: string } }).error.code }
  }

  const escapes = [
    '..%2f',
    '..%2f..%2f..%2f..%2fetc%2fpasswd',
    '%2e%2e%2fsomebody',
    '..%5c..%5cwindows',
    '%2fetc%2fpasswd',
    'a%00.png',
    'a%0d%0aset-cookie:x',
    '..',
  ]
  const absent = ['%252e%252e%252fsomebody', 'day%2f..%252f', 'music-old', 'noon%2fx.mp3', '%F0%9F%8C%99']
  for (const name of escapes) {
    const track = await ask(`/api/audio/stream?track=${name}`)
    t.same(track, { status: 400, code: 'BAD_REQUEST' }, `track=${name}`)
    t.same(
      await ask(`/api/audio/url?track=day%2f${name}`),
      { status: 400, code: 'BAD_REQUEST' },
      `day/${name}`,
    )
    // A router resolves `..` in a path, which then leads to no route at all.
    if (name === '..') continue
    for (const place of ['artist-art', 'avatar']) {
      t.same(await ask(`/api/${place}/${name}`), { status: 400, code: 'BAD_REQUEST' }, `${place}/${name}`)
    }
  }
  const dots = ['..', '%2e%2e', '.%2e', '%252e%252e', '%c0%ae%c0%ae', '%ef%bc%8e%ef%bc%8e']
  const slashes = ['/', '%2f', '%5c', '%252f', '%c0%af']
  for (const up of dots.flatMap((dot) => slashes.map((slash) => dot + slash)))
    for (const name of [`${up}secret.mp3`, `day%2f${up.repeat(4)}etc%2fpasswd`]) {
      const { status } = await ask(`/api/audio/stream?track=${name}`)
      t.ok(status === 400 || status === 404, `track=${name}: ${status}`)
    }
  for (const name of ['C:%5cboot.ini', 'c:boot.ini', '%2f', 'day%2f']) {
    t.equal((await ask(`/api/audio/stream?track=${name}`)).status, 400, `track=${name}`)
  }
  for (const name of absent) {
    t.same(
      await ask(`/api/audio/stream?track=${name}`),
      { status: 404, code: 'TRACK_NOT_FOUND' },
      `track=${name}`,
    )
  }
  for (const name of ['.htaccess', '..png', 'a%20b.png', 'ава.png', 'a;b.png']) {
    t.same(await ask(`/api/avatar/${name}`), { status: 400, code: 'BAD_REQUEST' }, `avatar/${name}`)
  }
  t.same(await ask('/api/avatar/none.png'), { status: 404, code: 'NOT_FOUND' })
  t.same(await ask('/api/artist-art/nobody'), { status: 404, code: 'NOT_FOUND' })

  const long = 'x'.repeat(5_000)
  t.same(await ask(`/api/avatar/${long}`), { status: 414, code: 'URI_TOO_LONG' })
  t.same(await ask(`/api/audio/stream?track=${long}`), { status: 400, code: 'BAD_REQUEST' })
  t.same(await ask(`/api/artist-art/${'x'.repeat(400)}`), { status: 400, code: 'BAD_REQUEST' })
  t.same(await ask('/api/avatar/%zz'), { status: 400, code: 'BAD_REQUEST' })
  t.same(
    await ask('/api/audio/stream?track=a&track=b'),
    { status: 400, code: 'BAD_REQUEST' },
    'a list of tracks',
  )
  t.same(await ask('/api/audio/stream?track[]=a'), { status: 400, code: 'BAD_REQUEST' })
})
