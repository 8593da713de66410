import { Type } from 'typebox'
import { Localized } from '../../localized.ts'
import { Mode } from '../../resources/library/track.ts'
import { bytes, defineRoute, needs, needsOneOf } from '../../route.ts'

const Artist = Type.String({ minLength: 1, maxLength: 300, description: 'case and spacing do not matter' })
const ArtistArt = Type.Object({
  artist: Type.String({ description: 'the normalised name' }),
  name: Type.String({
    description: 'as most tags of the library spell it; the normalised name when no track has it',
  }),
  hasArt: Type.Boolean(),
  artFileName: Type.String({ description: 'empty when there is no image' }),
  modes: Type.Array(Mode, { description: 'modes in which the artist has tracks' }),
})
const ART = { artist: 'hilda', name: 'Hilda', hasArt: true, artFileName: 'hilda.jpg', modes: ['day'] }

export const listArtistArts = defineRoute({
  method: 'GET',
  path: '/api/admin/artist-arts',
  summary: 'Returns all artists and whether each has an image',
  access: needs('artist_arts'),
  capability: 'artistArts',
  reply: Type.Object({ items: Type.Array(ArtistArt) }),
  failures: [],
  example: { reply: { items: [ART] } },
})

export const uploadArtistArt = defineRoute({
  method: 'POST',
  path: '/api/admin/artist-arts/upload',
  summary: "Sets an artist's image: a portrait JPEG (taller than wide) of at most 10 MB",
  access: needs('artist_arts'),
  capability: 'artistArts',
  query: Type.Object({ artist: Type.Optional(Artist) }),
  body: { upload: ['image/jpeg'], kind: 'jpeg', maxBytes: 10 * 1024 * 1024, description: 'JPEG bytes' },
  reply: Type.Object({ ok: Type.Literal(true), item: ArtistArt, message: Localized }),
  failures: ['BAD_REQUEST', 'STORAGE_WRITE_FAILED'],
  example: {
    query: { artist: 'Hilda' },
    reply: { ok: true, item: ART, message: { uk: 'Зображення збережено', en: 'The image is saved' } },
  },
})

export const deleteArtistArt = defineRoute({
  method: 'DELETE',
  path: '/api/admin/artist-arts/:artist',
  summary: "Deletes an artist's image; the artist's tracks stay",
  access: needsOneOf('artist_arts', 'editor_meta'),
  capability: 'artistArts',
  params: Type.Object({ artist: Artist }),
  reply: Type.Object({
    ok: Type.Literal(true),
    item: Type.Object({ artist: Type.String(), hasArt: Type.Literal(false), artFileName: Type.Literal('') }),
    message: Localized,
  }),
  failures: ['BAD_REQUEST', 'NOT_FOUND'],
  example: {
    reply: {
      ok: true,
      item: { artist: 'hilda', hasArt: false, artFileName: '' },
      message: { uk: 'Зображення видалено', en: 'The image is deleted' },
    },
  },
})

export const getArtistArtFile = defineRoute({
  method: 'GET',
  path: '/api/admin/artist-arts/file/:artist',
  summary: "Returns an artist's image unwrapped, for previews",
  access: needs('artist_arts'),
  capability: 'artistArts',
  params: Type.Object({ artist: Artist }),
  reply: bytes('image/jpeg', 'The image'),
  failures: ['BAD_REQUEST', 'NOT_FOUND'],
})
