import type { Locale, NowPlaying } from '@solstice/contracts'
import { look } from './look.ts'
import { followNowPlaying } from './now-playing.ts'
import { createStreamSound, type Sound } from './stream-sound.ts'
import { embedTexts } from './texts.ts'

/** Everything within the player; filled as text and attributes only. */
const MARKUP = `<section class="player" data-sound="off">
  <button class="play" type="button"><svg viewBox="0 0 24 24" aria-hidden="true"><path/></svg></button>
  <a class="play" target="_blank" rel="noopener" hidden><svg viewBox="0 0 24 24" aria-hidden="true"><path/></svg></a>
  <div class="words">
    <p class="top"><a class="station" target="_blank" rel="noopener"></a><span class="mark" hidden></span></p>
    <p class="title"></p>
    <p class="artist"></p>
    <p class="status" role="status"></p>
  </div>
  <img class="cover" alt="" hidden>
</section>`
const icons = {
  play: 'M8 5v14l11-7z',
  pause: 'M6 5h4v14H6zm8 0h4v14h-4z',
  visit: 'M14 3v2h3.6l-9.8 9.8 1.4 1.4L19 6.4V10h2V3zM5 5h5V3H3v18h18v-7h-2v5H5z',
}

/** The station's last word: none yet, silence, or the track on air. */
type Heard = { is: 'unknown' } | { is: 'unreachable' } | { is: 'known'; now: NowPlaying }

/**
 * Defines `<solstice-player src="https://station" layout="compact|card" theme="day|night|auto" lang="uk|en">`.
 *
 * @param home the station of players without a `src`.
 */
export function defineSolsticePlayer(home?: string): void {
  if (customElements.get('solstice-player')) return
  const ends = new WeakMap<Element, () => void>()
  const close = (element: Element) => {
    ends.get(element)?.()
    ends.delete(element)
  }
  const open = (element: Element) => {
    close(element)
    const station = originOf(element.getAttribute('src') || home)
    if (station) ends.set(element, openPlayer(element.shadowRoot!, { station, locale: localeOf(element) }))
  }
  customElements.define(
    'solstice-player',
    // Fields of its own would cost code for older browsers.
    class extends HTMLElement {
      static get observedAttributes() {
        return ['src', 'lang']
      }
      constructor() {
        super()
        this.attachShadow({ mode: 'open' })
      }
      connectedCallback() {
        open(this)
      }
      disconnectedCallback() {
        close(this)
      }
      attributeChangedCallback(_: string, before: string | null, after: string | null) {
        if (ends.has(this) && before !== after) open(this)
      }
    },
  )
}

/** The origin of a station's address; null when it is none. */
function originOf(address: string | undefined): string | null {
  try {
    const { origin, protocol } = new URL(address ?? '', document.baseURI)
    return address && /^https?:$/.test(protocol) ? origin : null
  } catch {
    return null
  }
}

const localeOf = (element: Element): Locale =>
  element.closest('[lang]')?.getAttribute('lang')?.startsWith('uk') ? 'uk' : 'en'

interface Place {
  /** Origin of the station. */
  station: string
  locale: Locale
}

/** Draws a player and keeps it up to date. @returns ends it. */
function openPlayer(root: ShadowRoot, place: Place): () => void {
  root.innerHTML = MARKUP
  addLook(root)
  let heard: Heard = { is: 'unknown' }
  let sound: Sound = 'off'
  const draw = () => drawPlayer(root, { ...place, heard, sound })
  const stream = createStreamSound((next) => {
    sound = next
    draw()
  })
  const unfollow = followNowPlaying(place.station, (now) => {
    heard = now ? { is: 'known', now } : { is: 'unreachable' }
    draw()
  })
  const cover = find(root, 'img.cover')
  cover.onerror = () => {
    cover.hidden = true
  }
  find(root, 'button.play').onclick = () =>
    sound === 'off' ? stream.start(`${place.station}/api/stream/public.mp3`) : stream.stop()
  draw()
  return () => {
    unfollow()
    stream.stop()
  }
}

/** A sheet made by a script is not bound by the policies of the sites around it. Older browsers can't make one. */
function addLook(root: ShadowRoot): void {
  try {
    const sheet = new CSSStyleSheet()
    sheet.replaceSync(look)
    root.adoptedStyleSheets = [sheet]
  } catch {
    const style = document.createElement('style')
    root.append(style)
    style.sheet?.insertRule(`@media all {${look}}`)
  }
}

interface Seen extends Place {
  heard: Heard
  sound: Sound
}

function drawPlayer(root: ShadowRoot, seen: Seen): void {
  const { station, locale, heard, sound } = seen
  const t = embedTexts[locale]
  const now = heard.is === 'known' ? heard.now : null
  const page = `${station}${locale === 'uk' ? '/' : `/${locale}/`}`
  const name = now?.station.name[locale] || new URL(station).host
  const player = find(root, '.player')
  player.dataset.sound = sound
  player.setAttribute('aria-label', name)
  player.setAttribute('lang', locale)

  const isSilent = now?.streams.length === 0
  const [button, visit] = [find(root, 'button.play'), find(root, 'a.play')]
  button.hidden = isSilent
  visit.hidden = !isSilent
  visit.href = page
  visit.setAttribute('aria-label', `${t.visit} (${t.opensAnew})`)
  visit.querySelector('path')!.setAttribute('d', icons.visit)
  button.setAttribute('aria-label', sound === 'off' ? t.play : t.pause)
  button.querySelector('path')!.setAttribute('d', sound === 'off' ? icons.play : icons.pause)

  const link = find(root, 'a.station')
  link.href = page
  link.textContent = name
  const mark = find(root, '.mark')
  const isLive = now !== null && now.live.hosts + now.live.guests > 0
  mark.hidden = now === null || now.state === 'preparing'
  mark.toggleAttribute('data-live', isLive)
  mark.textContent = isLive ? t.live : t.onAir

  const { title, artist, cover } = linesOf(now, t)
  find(root, '.title').textContent = title
  find(root, '.artist').textContent = artist
  find(root, '.status').textContent = statusOf(seen, t)
  showCover(find(root, 'img.cover'), cover && new URL(cover, station).href)
}

type Texts = (typeof embedTexts)[Locale]

function linesOf(now: NowPlaying | null, t: Texts) {
  if (!now) return { title: '', artist: '', cover: null }
  if (now.current) return now.current
  const states = { song: '', jingle: t.jingle, chat: t.chat, preparing: t.preparing }
  return { title: states[now.state], artist: '', cover: null }
}

function statusOf({ heard, sound }: Seen, t: Texts): string {
  if (sound === 'failed') return t.silent
  if (sound === 'connecting' || heard.is === 'unknown') return t.connecting
  // Without this the title would be taken for what is on air now.
  return heard.is === 'unreachable' ? t.noAnswer : isSync(heard.now) ? t.visit : ''
}

const isSync = ({ streams }: NowPlaying) => streams.length === 0

function showCover(image: HTMLImageElement, url: string | null): void {
  if (!url) {
    image.hidden = true
    image.removeAttribute('src')
  } else if (image.src !== url) {
    image.hidden = false
    image.src = url
  }
}

interface Elements {
  'button.play': HTMLButtonElement
  'a.play': HTMLAnchorElement
  'a.station': HTMLAnchorElement
  'img.cover': HTMLImageElement
}

const find = <S extends string>(root: ShadowRoot, selector: S) =>
  root.querySelector(selector) as unknown as S extends keyof Elements ? Elements[S] : HTMLElement
