import type { Access, Route } from '@solstice/contracts'

export const named = (route: Route) => `${route.method} ${route.path}`

export const TRACK = 'day/Тиха вода & more.mp3'

/** A valid request to a route, except perhaps for its tokens. */
export function url(route: Route, query: Record<string, string> = {}): string {
  const path = route.path.replace(':artist', 'somebody').replace(':filename', 'nobody.png')
  const asked: Record<string, string> = {}
  const shape = route.query as
    | { properties?: Record<string, { type?: string }>; required?: string[] }
    | undefined
  for (const name of shape?.required ?? []) asked[name] = name === 'track' ? TRACK : `some ${name}`
  return `${path}?${new URLSearchParams({ ...asked, ...query })}`
}

export interface Sent {
  headers: Record<string, string>
  query: Record<string, string>
}

/** Both ways to send the tokens that an access rule requires. */
export function ways(access: Access, tokens: { artToken: string; audioToken: string }): Sent[] {
  const { artToken, audioToken } = tokens
  if (access === 'public') return [{ headers: {}, query: {} }]
  if (access === 'art') {
    return [
      { headers: { 'x-art-token': artToken }, query: {} },
      { headers: {}, query: { token: artToken } },
    ]
  }
  return [
    { headers: { 'x-art-token': artToken, 'x-audio-token': audioToken }, query: {} },
    { headers: {}, query: { artToken, audioToken } },
  ]
}
