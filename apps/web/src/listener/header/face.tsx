import './face.css'
import type { User } from '@solstice/contracts'
import { useEffect, useState } from 'preact/hooks'
import { apiUrl, getWrappedImage } from '../../api.ts'
import { localizedText } from '../../ui/language/localized-text.ts'
import { useRadio } from '../radio-context.ts'

/** Avatars by name, fetched once for everybody who has them: they are few and small. */
const avatars = new Map<string, Promise<string>>()

/** A user's avatar; the initials while there is none. */
export function Face({ user }: { user: User }) {
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
