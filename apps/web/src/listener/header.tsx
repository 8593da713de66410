import type { Locale, RadioState, User } from '@solstice/contracts'
import { useEffect, useRef, useState } from 'preact/hooks'
import { apiUrl, getWrappedImage } from '../api.ts'
import type { Radio } from '../radio/radio.ts'
import { counted, type Texts } from '../texts.ts'
import { Icon } from '../ui/icons.tsx'
import { localizedText, pathOf } from '../ui/language.ts'
import { Languages } from '../ui/languages.tsx'
import { useStore } from '../ui/store.ts'
import { messengerOf } from './format.ts'

const FACES = 3

interface Props {
  radio: Radio
  state: RadioState | null
  /** The station's, in this mode and language. */
  name: string
  locale: Locale
  t: Texts
  onLocale: (locale: Locale) => void
}

export function Header({ radio, state, name, locale, t, onLocale }: Props) {
  const link = useStore(radio.link)
  const isHosting = useStore(radio.connection.isHosting)
  const messenger = messengerOf(state, locale)
  return (
    <header class="header">
      <p class="name">{name}</p>
      <p class="link" data-link={link}>
        <span class="link-light" aria-hidden="true" />
        <span class="link-text" role="status">
          {t.link[link]}
        </span>
      </p>
      <div class="header-right">
        <Roster radio={radio} locale={locale} t={t} />
        {isHosting && (
          <a class="header-link" href={pathOf({ page: 'guest', locale })}>
            <Icon name="microphone" size={18} />
            <span>{t.hosts.askToSpeak}</span>
          </a>
        )}
        {messenger && (
          <a class="header-link" href={messenger.href} target="_blank" rel="noreferrer">
            <Icon name="message" size={18} />
            <span>{messenger.label}</span>
          </a>
        )}
        <Languages page="player" locale={locale} label={t.language} onLocale={onLocale} />
      </div>
    </header>
  )
}

function Roster({ radio, locale, t }: { radio: Radio; locale: Locale; t: Texts }) {
  const users = useStore(radio.users)
  const [isOpen, setOpen] = useState(false)
  const box = useRef<HTMLDivElement>(null)

  useEffect(() => {
    if (!isOpen) return
    const outside = (event: Event) => {
      if (!box.current?.contains(event.target as Node)) setOpen(false)
    }
    const pressed = (event: KeyboardEvent) => {
      if (event.key === 'Escape') setOpen(false)
    }
    addEventListener('pointerdown', outside)
    addEventListener('keydown', pressed)
    return () => {
      removeEventListener('pointerdown', outside)
      removeEventListener('keydown', pressed)
    }
  }, [isOpen])

  if (users.length === 0) return null
  return (
    <div class="roster" ref={box}>
      <button
        type="button"
        class="roster-button"
        aria-expanded={isOpen}
        aria-label={`${t.whoListens}: ${users.length}`}
        onClick={() => setOpen(!isOpen)}
      >
        <span class="faces">
          {users.slice(0, FACES).map((user, i) => (
            <Face key={`${user.img} ${i}`} user={user} radio={radio} locale={locale} />
          ))}
        </span>
        <span class="count">{users.length > FACES ? `+${users.length - FACES}` : users.length}</span>
      </button>
      {isOpen && (
        <section class="roster-list" aria-label={t.whoListens}>
          <p>{counted(users.length, t.people, locale)}</p>
          <ul>
            {users.map((user, i) => (
              <li key={`${user.img} ${i}`}>
                <Face user={user} radio={radio} locale={locale} />
                <span>{localizedText(user.name, locale)}</span>
                {(user.isAdmin || user.isSuperAdmin) && <em class="badge">{t.admin}</em>}
              </li>
            ))}
          </ul>
        </section>
      )}
    </div>
  )
}

/** Pictures are few and small: each is fetched once for all who wear it. */
const pictures = new Map<string, Promise<string>>()

function Face({ user, radio, locale }: { user: User; radio: Radio; locale: Locale }) {
  const [picture, setPicture] = useState('')
  const name = localizedText(user.name, locale)
  useEffect(() => {
    let isGone = false
    let fetched = pictures.get(user.img)
    if (!fetched) {
      const url = apiUrl(`/api/avatar/${encodeURIComponent(user.img)}`)
      fetched = radio.connection.artToken.get().then((token) => getWrappedImage(url, token))
      pictures.set(user.img, fetched)
      fetched.catch(() => pictures.delete(user.img))
    }
    fetched.then(
      (url) => !isGone && setPicture(url),
      () => {},
    )
    return () => {
      isGone = true
    }
  }, [user.img, radio])
  const initials = name
    .split(/\s+/)
    .map((word) => word[0])
    .slice(0, 2)
    .join('')
  return (
    <span class="face" title={name} style={{ '--own': user.color }}>
      {picture ? <img src={picture} alt="" width={28} height={28} /> : <b aria-hidden="true">{initials}</b>}
    </span>
  )
}
