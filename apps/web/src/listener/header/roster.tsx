import './roster.css'
import type { User } from '@solstice/contracts'
import { useEffect, useRef, useState } from 'preact/hooks'
import { apiUrl, getWrappedImage } from '../../api.ts'
import { counted } from '../../texts.ts'
import { localizedText } from '../../ui/language/localized-text.ts'
import { useStore } from '../../ui/store.ts'
import { useRadio } from '../radio-context.ts'

const MAX_FACES = 3

/** The listeners: a few faces and a number, which open the whole list. */
export function Roster() {
  const { radio, locale, t } = useRadio()
  const users = useStore(radio.users)
  const [isOpen, setOpen] = useState(false)
  const box = useRef<HTMLDivElement>(null)

  useEffect(() => {
    if (!isOpen) return
    const pressedOutside = (event: Event) => {
      if (!box.current?.contains(event.target as Node)) setOpen(false)
    }
    const pressedKey = (event: KeyboardEvent) => {
      if (event.key === 'Escape') setOpen(false)
    }
    addEventListener('pointerdown', pressedOutside)
    addEventListener('keydown', pressedKey)
    return () => {
      removeEventListener('pointerdown', pressedOutside)
      removeEventListener('keydown', pressedKey)
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
          {users.slice(0, MAX_FACES).map((user, i) => (
            <Face key={`${user.img} ${i}`} user={user} />
          ))}
        </span>
        <span class="count">{users.length > MAX_FACES ? `+${users.length - MAX_FACES}` : users.length}</span>
      </button>
      {isOpen && (
        <section class="roster-list" aria-label={t.whoListens}>
          <p>{counted(users.length, t.people, locale)}</p>
          <ul>
            {users.map((user, i) => (
              <li key={`${user.img} ${i}`}>
                <Face user={user} />
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

/** Avatars by name, fetched once for everybody who has them: they are few and small. */
const avatars = new Map<string, Promise<string>>()

function Face({ user }: { user: User }) {
  const { radio, locale } = useRadio()
  const [picture, setPicture] = useState('')
  const name = localizedText(user.name, locale)
  useEffect(() => {
    let isGone = false
    let avatar = avatars.get(user.img)
    if (!avatar) {
      const url = apiUrl(`/api/avatar/${encodeURIComponent(user.img)}`)
      avatar = radio.connection.artToken.get().then((token) => getWrappedImage(url, token))
      avatars.set(user.img, avatar)
      avatar.catch(() => avatars.delete(user.img))
    }
    avatar.then(
      (url) => !isGone && setPicture(url),
      () => {},
    )
    return () => {
      isGone = true
    }
  }, [user.img, radio])
  return (
    <span class="face" title={name} style={{ '--own': user.color }}>
      {picture ? (
        <img src={picture} alt="" width={28} height={28} />
      ) : (
        <b aria-hidden="true">{initialsOf(name)}</b>
      )}
    </span>
  )
}

const initialsOf = (name: string) =>
  name
    .split(/\s+/)
    .map((word) => word[0])
    .slice(0, 2)
    .join('')
