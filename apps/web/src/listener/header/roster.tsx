import './roster.css'
import type { User } from '@solstice/contracts'
import { useEffect, useState } from 'preact/hooks'
import { apiUrl, getWrappedImage } from '../../api.ts'
import { localizedText } from '../../ui/language/localized-text.ts'
import { Popover } from '../../ui/popover/popover.tsx'
import { useStore } from '../../ui/store.ts'
import { useRadio } from '../radio-context.ts'
import { counted } from '../texts/plural.ts'

const MAX_FACES = 3

/** The listeners: a few faces and their number, which open the whole list. */
export function Roster() {
  const { radio, locale, t } = useRadio()
  const users = useStore(radio.users)
  const isOnline = useStore(radio.link) === 'online'
  if (users.length === 0 || !isOnline) return null
  return (
    <Popover
      class="roster"
      label={`${t.whoListens}: ${users.length}`}
      button={
        <>
          <span class="faces">
            {users.slice(0, MAX_FACES).map((user, i) => (
              <Face key={`${user.img} ${i}`} user={user} />
            ))}
          </span>
          <span class="count">{users.length}</span>
        </>
      }
    >
      {() => (
        <div class="roster-list">
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
        </div>
      )}
    </Popover>
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
