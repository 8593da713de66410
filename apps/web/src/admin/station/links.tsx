import './links.css'
import { useEffect, useState } from 'preact/hooks'
import { apiUrl } from '../../api.ts'
import { pathOf } from '../../ui/language/language.ts'
import { useAdmin } from '../data/panel.ts'
import { useQuery } from '../data/query.ts'
import { CopyButton } from './copy-button.tsx'
import { EmbedBuilder } from './embed-builder.tsx'
import { useStationTexts } from './texts.ts'

/** Addresses to hand out, as text and as a code for cameras. */
export function Links() {
  const t = useStationTexts()
  const { config, locale } = useAdmin()
  const page = (name: 'player' | 'guest') => new URL(pathOf({ page: name, locale }), location.origin).href
  const links = [
    { id: 'page', title: t.links.page, about: t.links.pageAbout, url: page('player') },
    ...(config.streamMode
      ? [
          {
            id: 'stream',
            title: t.links.stream,
            about: t.links.streamAbout,
            url: new URL(apiUrl('/api/stream/public.mp3'), location.origin).href,
          },
          {
            id: 'hls',
            title: t.links.hls,
            about: t.links.hlsAbout,
            url: new URL(apiUrl('/api/hls/live.m3u8'), location.origin).href,
          },
        ]
      : []),
    ...(config.radioHostsMode
      ? [{ id: 'guest', title: t.links.guest, about: t.links.guestAbout, url: page('guest') }]
      : []),
  ]
  return (
    <>
      <ul class="link-cards">
        {links.map(({ id, title, about, url }) => (
          <li key={id}>
            <Code text={url} label={t.codeOf(title)} />
            <div>
              <h2>{title}</h2>
              <p class="hint">{about}</p>
              <Address url={url} />
              <p>
                <CopyButton text={url} about={title} />
              </p>
              {id === 'stream' && <OtherStreams />}
            </div>
          </li>
        ))}
      </ul>
      <EmbedBuilder />
    </>
  )
}

/** A link whose text breaks after its slashes. */
function Address({ url }: { url: string }) {
  return (
    <a href={url} target="_blank" rel="noreferrer">
      {url.match(/[^/]+\/*/g)?.map((piece) => [piece, <wbr key={piece} />])}
    </a>
  )
}

const CODECS = { 'audio/mpeg': 'MP3', 'audio/aac': 'AAC', 'audio/ogg': 'Opus' } as const

/** The addresses of the mounts beside the first; nothing where there are none. */
function OtherStreams() {
  const t = useStationTexts()
  const now = useQuery('GET /api/now-playing')
  const others = now.is === 'ready' ? now.data.streams.slice(1) : []
  if (others.length === 0) return null
  return (
    <ul class="other-streams">
      {others.map(({ url, format, bitrate }) => {
        const name = t.links.mount(CODECS[format], bitrate)
        return (
          <li key={url}>
            <span>
              <span class="hint">{name}</span>
              <Address url={url} />
            </span>
            <CopyButton text={url} about={name} />
          </li>
        )
      })}
    </ul>
  )
}

/** A QR code, dark on light in both themes, so that every camera reads it. */
function Code({ text, label }: { text: string; label: string }) {
  const [code, setCode] = useState<{ path: string; size: number } | null>(null)
  useEffect(() => {
    let isGone = false
    void import('lean-qr').then(({ generate }) => {
      const bits = generate(text)
      let path = ''
      for (let y = 0; y < bits.size; y++)
        for (let x = 0; x < bits.size; x++) if (bits.get(x, y)) path += `M${x} ${y}h1v1h-1z`
      if (!isGone) setCode({ path, size: bits.size })
    })
    return () => {
      isGone = true
    }
  }, [text])
  const size = code?.size ?? 0
  return (
    <svg class="qr-code" viewBox={`-4 -4 ${size + 8} ${size + 8}`} role="img" aria-label={label}>
      {code && <path d={code.path} fill="#000" shape-rendering="crispEdges" />}
    </svg>
  )
}
