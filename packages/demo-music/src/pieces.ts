import type { Mode } from '@solstice/contracts'
import type { Part, Score } from './compose.ts'
import type { Space } from './render.ts'

/** One piece of the demo library: everything it is made of. */
export interface Piece {
  title: string
  artist: string
  album: string
  year: number
  mode: Mode
  score: Score
  space: Space
  /** A line of the song by the bar in which it begins. */
  words: [bar: number, line: string][]
}

/** A performer, and the light of their portrait. */
export interface Artist {
  name: string
  light: 'morning' | 'noon' | 'evening' | 'dusk' | 'night'
}

export const artists: Artist[] = [
  { name: 'Amber Tramway', light: 'morning' },
  { name: 'Paper Meridian', light: 'noon' },
  { name: 'Slow Orchard', light: 'evening' },
  { name: 'Linden & Salt', light: 'dusk' },
  { name: 'Тиха Пристань', light: 'night' },
]

const daylight: Space = { roomS: 1.7, brightness: 0.62, airDb: 6.5, echoBeats: 0.75, fadeInS: 0.05, tailS: 2 }
const afternoon: Space = {
  roomS: 2.2,
  brightness: 0.5,
  airDb: 5.5,
  echoBeats: 0.75,
  fadeInS: 0.05,
  tailS: 2.4,
}
const darkness: Space = { roomS: 4.2, brightness: 0.36, airDb: 4, echoBeats: 1.5, fadeInS: 1.5, tailS: 3.4 }

// The parts that most pieces have, a little different each time.
const bass = (beats: string, gain = -7): Part => ({
  instrument: 'bass',
  pattern: { kind: 'bass', beats },
  gain,
  room: 0.03,
})
const pad = (gain = -20, middle = 60): Part => ({
  instrument: 'pad',
  pattern: { kind: 'held', middle },
  gain,
  room: 0.35,
})
const strokes = (
  instrument: 'kick' | 'brush' | 'shaker' | 'hat' | 'wood',
  steps: string,
  gain: number,
  pan = 0,
): Part => ({
  instrument,
  pattern: { kind: 'strokes', steps },
  gain: instrument === 'kick' ? gain : gain + 4,
  pan,
  room: instrument === 'kick' ? 0.03 : 0.14,
})
const tune = (
  instrument: Part['instrument'],
  gain: number,
  lowest: number,
  text: string,
  pan = 0.1,
): Part => ({
  instrument,
  pattern: { kind: 'tune', lowest, tune: text },
  gain,
  pan,
  room: 0.3,
  echo: 0.28,
})

/** In the order in which they are made: a short one first, so that a new station soon has something to play. */
export const pieces: Piece[] = [
  {
    title: 'First Tram',
    artist: 'Amber Tramway',
    album: 'Timetable for a Warm Town',
    year: 2024,
    mode: 'day',
    space: daylight,
    score: {
      beatsPerMinute: 104,
      beatsPerBar: 4,
      scale: 'C major',
      chords: 'Cmaj9 | Am7 | Fmaj9 | G6',
      parts: {
        keys: {
          instrument: 'keys',
          pattern: { kind: 'struck', middle: 62, beats: '0:1.3 1.5:0.4 2.5:1.3' },
          gain: -13,
          pan: -0.15,
          room: 0.2,
        },
        pad: pad(-23),
        bass: bass('0:1.4:R 1.5:0.5:R 2.5:1:5 3.5:0.5:8'),
        kick: strokes('kick', 'x.......x.......', -8),
        shaker: strokes('shaker', 'x.X.x.X.x.X.x.X.', -24, 0.35),
        brush: strokes('brush', '....x.......x...', -19, -0.2),
        tune: tune(
          'kalimba',
          -8,
          72,
          '5:.5 6:.5 5:.5 3:1.5 r:1 | 3:.5 5:.5 6:1 5:1.5 r:.5 | 6:.5 8:.5 6:.5 5:1.5 3:1 | 2:1 3:.5 2:1.5 r:1 | ' +
            '5:.5 6:.5 8:1 9:.5 8:1 r:.5 | 6:1 5:.5 3:.5 5:1.5 r:.5 | 6:.5 5:.5 3:1 1:1.5 r:.5 | 2:.5 3:.5 5:1 2:1.5 r:.5',
        ),
      },
      form: [
        { bars: 2, play: 'keys shaker' },
        { bars: 2, play: 'keys shaker bass kick' },
        { bars: 8, play: 'keys shaker bass kick brush tune pad' },
        { bars: 2, play: 'keys pad bass shaker' },
        { bars: 3, play: 'keys pad' },
      ],
    },
    words: [
      [0, 'The first tram hums before the town is awake'],
      [4, 'Bread in a paper bag, light on the brake'],
      [8, 'Every stop has a name that I know by heart'],
      [12, 'Good morning, driver, and the day may start'],
    ],
  },
  {
    title: 'Ліхтарі над водою',
    artist: 'Тиха Пристань',
    album: 'Вечірня розмова',
    year: 2022,
    mode: 'night',
    space: darkness,
    score: {
      beatsPerMinute: 62,
      beatsPerBar: 4,
      scale: 'D minor',
      chords: 'Dm9 | Bbmaj7 | Gm9 | Am7',
      parts: {
        pad: pad(-15, 58),
        drops: {
          instrument: 'kalimba',
          pattern: { kind: 'broken', middle: 70, step: 1, order: '0 2 1 4' },
          gain: -17,
          pan: -0.35,
          room: 0.5,
          echo: 0.45,
        },
        bass: bass('0:3.4:R', -11),
        tune: tune(
          'vibes',
          -9,
          62,
          'r:1 5:1 4:.5 3:1.5 | 3:1 1:2 r:1 | r:1 4:1 5:.5 7:1.5 | 5:3 r:1 | r:1 8:1 7:.5 5:1.5 | 6:1 5:2 r:1 | r:.5 3:.5 4:1 3:2 | 1:3 r:1',
          0.2,
        ),
      },
      form: [
        { bars: 2, play: 'pad' },
        { bars: 2, play: 'pad bass drops' },
        { bars: 8, play: 'pad bass drops tune' },
        { bars: 2, play: 'pad drops' },
        { bars: 2, play: 'pad' },
      ],
    },
    words: [
      [1, 'Ліхтарі над водою не сплять'],
      [4, 'Кожна хвиля несе їх додому'],
      [8, 'Тиха пристань навчилась мовчать'],
      [11, 'І не каже про нас нікому'],
      [14, 'Тільки ніч, тільки ми, тільки гладь'],
    ],
  },
  {
    title: 'Paper Boats',
    artist: 'Paper Meridian',
    album: 'Maps Without Borders',
    year: 2023,
    mode: 'day',
    space: daylight,
    score: {
      beatsPerMinute: 98,
      beatsPerBar: 3,
      scale: 'G major',
      chords: 'G | Em7 | Cadd9 | D | G/B | C | Am7 | D7sus4',
      parts: {
        strings: {
          instrument: 'pluck',
          pattern: { kind: 'broken', middle: 60, step: 0.5, order: '0 1 2 3 2 1' },
          gain: -11,
          pan: -0.25,
          room: 0.22,
        },
        pad: pad(-22),
        bass: bass('0:2.2:R 2:0.9:5', -8),
        shaker: strokes('shaker', 'x.xxx.', -28, 0.4),
        brush: strokes('brush', '..x.x.', -25, 0.2),
        tune: tune(
          'flute',
          -10,
          67,
          '3:2 2:1 | 3:1 5:2 | 5:1 6:1 5:1 | 2:2 r:1 | 3:1.5 2:.5 1:1 | 1:1 3:1 5:1 | 6:1 5:1 3:1 | 2:2 r:1 | ' +
            '5:2 6:1 | 8:1 7:2 | 6:1 5:1 3:1 | 2:2 r:1 | 3:1.5 5:.5 3:1 | 1:1 2:1 3:1 | 3:1 2:1 1:1 | 2:2 r:1',
        ),
      },
      form: [
        { bars: 4, play: 'strings' },
        { bars: 4, play: 'strings bass shaker' },
        { bars: 16, play: 'strings bass shaker brush pad tune' },
        { bars: 5, play: 'strings bass pad' },
        { bars: 1, play: 'pad' },
      ],
    },
    words: [
      [2, 'We folded the map into paper boats'],
      [8, 'And gave every river a name of its own'],
      [16, 'The border was only a crease in the page'],
      [22, 'The current was kind, and it carried us home'],
    ],
  },
  {
    title: 'Warm Windowsill',
    artist: 'Slow Orchard',
    album: 'Kitchen Light',
    year: 2021,
    mode: 'day',
    space: afternoon,
    score: {
      beatsPerMinute: 82,
      beatsPerBar: 4,
      swing: 0.3,
      scale: 'F major',
      chords: 'Fmaj9 | Em7 A7 | Dm9 | Gm7 C9',
      parts: {
        keys: {
          instrument: 'keys',
          pattern: { kind: 'struck', middle: 61, beats: '0:1.6 2:0.9 3.5:0.45' },
          gain: -11,
          pan: -0.1,
          room: 0.25,
        },
        bass: bass('0:1.6:R 2:1.2:R 3.5:0.45:5', -6),
        kick: strokes('kick', 'x....x..x.......', -7),
        brush: strokes('brush', '....X.......X...', -16, 0.05),
        hat: strokes('hat', 'x.x.x.x.x.x.x.xx', -27, 0.3),
        tune: tune(
          'vibes',
          -10,
          65,
          'r:.5 3:.5 5:.5 6:1 5:.5 r:1 | r:.5 5:.5 7:1 6:.5 5:1 r:.5 | r:.5 3:.5 4:.5 6:1 8:1 r:.5 | 7:.5 6:.5 5:2 r:1 | ' +
            'r:.5 8:.5 7:.5 5:1.5 r:1 | r:.5 5:.5 6:.5 5:.5 3:1.5 r:.5 | 6:1 5:.5 4:.5 3:1.5 r:.5 | 2:.5 3:.5 2:1 1:1 r:1',
          0.25,
        ),
      },
      form: [
        { bars: 2, play: 'keys' },
        { bars: 2, play: 'keys bass hat' },
        { bars: 8, play: 'keys bass kick brush hat tune' },
        { bars: 4, play: 'keys bass kick brush hat' },
        { bars: 2, play: 'keys tune' },
        { bars: 1, play: 'keys' },
      ],
    },
    words: [
      [2, 'There is a warm place on the windowsill'],
      [6, 'Where the cat keeps the afternoon still'],
      [10, 'The kettle sings in the key of the rain'],
      [14, 'Stay for a cup, and then stay again'],
    ],
  },
  {
    title: 'Липова алея',
    artist: 'Тиха Пристань',
    album: 'Вечірня розмова',
    year: 2022,
    mode: 'day',
    space: daylight,
    score: {
      beatsPerMinute: 100,
      beatsPerBar: 4,
      scale: 'D major',
      chords: 'D | A/C# | Bm7 | Gadd9',
      parts: {
        strings: {
          instrument: 'pluck',
          pattern: { kind: 'broken', middle: 62, step: 0.5, order: '0 2 1 3 2 1 3 2' },
          gain: -12,
          pan: 0.25,
          room: 0.22,
        },
        pad: pad(-19),
        bass: bass('0:1.8:R 2:1.4:R 3.5:0.5:5', -7),
        kick: strokes('kick', 'x.......x.x.....', -9),
        shaker: strokes('shaker', 'x.x.X.x.x.x.X.x.', -26, -0.35),
        tune: tune(
          'flute',
          -10,
          74,
          'r:1 3:1 2:.5 3:.5 5:1 | 5:1.5 3:.5 2:2 | r:1 1:1 2:.5 3:.5 5:1 | 3:3 r:1 | ' +
            'r:1 5:1 6:.5 5:.5 3:1 | 2:1.5 3:.5 2:2 | r:1 3:1 2:.5 1:.5 -1:1 | 1:3 r:1',
          -0.1,
        ),
      },
      form: [
        { bars: 2, play: 'strings' },
        { bars: 2, play: 'strings pad bass' },
        { bars: 8, play: 'strings pad bass shaker tune' },
        { bars: 4, play: 'strings pad bass shaker kick' },
        { bars: 8, play: 'strings pad bass shaker kick tune' },
        { bars: 2, play: 'strings pad' },
      ],
    },
    words: [
      [2, 'Липова алея пахне медом'],
      [6, 'Літо йде босоніж попереду'],
      [12, 'Кожна лавка має свою розмову'],
      [16, 'Ми сюди повернемося знову'],
      [21, 'Світло падає крізь листя чудово'],
    ],
  },
  {
    title: 'Northern Platform',
    artist: 'Linden & Salt',
    album: 'Weather Letters',
    year: 2020,
    mode: 'night',
    space: darkness,
    score: {
      beatsPerMinute: 68,
      beatsPerBar: 4,
      scale: 'A minor',
      chords: 'Am9 | Fmaj7 | Cmaj9 | Em7',
      parts: {
        pad: pad(-16, 57),
        keys: {
          instrument: 'keys',
          pattern: { kind: 'broken', middle: 64, step: 1, order: '0 1 2 1' },
          gain: -13,
          pan: 0.3,
          room: 0.4,
          echo: 0.4,
        },
        bass: bass('0:1.7:R 2:1.7:R', -10),
        heart: strokes('kick', 'x.x.....', -13),
        tune: tune(
          'flute',
          -12,
          69,
          'r:2 5:1 4:1 | 3:2.5 r:1.5 | r:1 5:1 7:1 8:1 | 7:2.5 r:1.5 | r:2 8:1 7:1 | 5:1 4:1 3:1.5 r:.5 | r:1 3:1 4:1 5:1 | 2:2.5 r:1.5',
          -0.2,
        ),
      },
      form: [
        { bars: 2, play: 'pad' },
        { bars: 2, play: 'pad keys' },
        { bars: 4, play: 'pad keys bass heart' },
        { bars: 8, play: 'pad keys bass heart tune' },
        { bars: 2, play: 'pad keys' },
        { bars: 1, play: 'pad' },
      ],
    },
    words: [
      [2, 'The northern platform after one'],
      [6, 'A clock, a bench, a sleeping sun'],
      [9, 'The rails remember every name'],
      [13, 'Of those who left, of those who came'],
    ],
  },
  {
    title: 'Market at Noon',
    artist: 'Amber Tramway',
    album: 'Timetable for a Warm Town',
    year: 2024,
    mode: 'day',
    space: daylight,
    score: {
      beatsPerMinute: 114,
      beatsPerBar: 4,
      scale: 'A major',
      chords: 'Amaj7 | D6 | Bm7 | E7sus4',
      parts: {
        thumbs: {
          instrument: 'kalimba',
          pattern: { kind: 'broken', middle: 69, step: 0.5, order: '0 2 4 1 3 2 5 3' },
          gain: -12,
          pan: -0.3,
          room: 0.2,
          echo: 0.1,
        },
        keys: {
          instrument: 'keys',
          pattern: { kind: 'struck', middle: 61, beats: '0.5:0.4 1.5:0.4 3:0.8' },
          gain: -17,
          pan: 0.25,
          room: 0.15,
        },
        bass: bass('0:1:R 1.5:0.5:5 2:1:8 3.5:0.5:5', -6),
        kick: strokes('kick', 'x..x....x..x....', -8),
        wood: strokes('wood', '..x...x.x...x...', -21, 0.5),
        shaker: strokes('shaker', 'XxxxXxxxXxxxXxxx', -28, -0.4),
        tune: tune(
          'pluck',
          -8,
          69,
          '3:.5 5:.5 r:.5 5:1 3:.5 5:1 | 6:.5 5:.5 r:.5 3:1 2:1 r:.5 | 4:.5 6:.5 r:.5 6:1 5:.5 4:1 | 5:2 r:2 | ' +
            '8:.5 7:.5 r:.5 5:1 3:.5 5:1 | 6:.5 8:.5 r:.5 6:1 5:1 r:.5 | 4:.5 3:.5 2:1 4:1 3:1 | 2:2 r:2',
        ),
      },
      form: [
        { bars: 2, play: 'thumbs shaker' },
        { bars: 4, play: 'thumbs shaker bass kick' },
        { bars: 8, play: 'thumbs shaker bass kick wood keys tune' },
        { bars: 4, play: 'keys bass kick wood shaker' },
        { bars: 8, play: 'thumbs shaker bass kick wood keys tune' },
        { bars: 2, play: 'thumbs shaker' },
      ],
    },
    words: [
      [2, 'Apricots, peppers, a clatter of scales'],
      [6, 'Somebody laughs and somebody sails'],
      [12, 'Three for a coin and a story for free'],
      [18, 'Noon has a table with room for three'],
      [24, 'Save me a place there, and save one for me'],
    ],
  },
  {
    title: 'Salt on the Railing',
    artist: 'Linden & Salt',
    album: 'Weather Letters',
    year: 2020,
    mode: 'day',
    space: afternoon,
    score: {
      beatsPerMinute: 88,
      beatsPerBar: 4,
      scale: 'Bb major',
      chords: 'Bbmaj9 | Gm9 | Ebmaj9 | F6',
      parts: {
        pad: pad(-18),
        strings: {
          instrument: 'pluck',
          pattern: { kind: 'broken', middle: 65, step: 0.5, order: '0 1 2 3 4 3 2 1' },
          gain: -14,
          pan: -0.3,
          room: 0.3,
          echo: 0.12,
        },
        bass: bass('0:2.4:R 2.5:1.3:5', -7),
        kick: strokes('kick', 'x.......x.......', -10),
        brush: strokes('brush', '....x.......x...', -20, 0.1),
        shaker: strokes('shaker', 'x.x.x.x.x.x.x.x.', -29, 0.35),
        tune: tune(
          'keys',
          -8,
          70,
          '3:1.5 2:.5 3:1 5:1 | 5:1.5 3:.5 2:1.5 r:.5 | 3:1.5 5:.5 7:1 6:1 | 5:3 r:1 | ' +
            '8:1.5 7:.5 5:1 3:1 | 5:1.5 6:.5 5:1.5 r:.5 | 4:1 3:.5 2:.5 3:1.5 r:.5 | 1:3 r:1',
          0.15,
        ),
      },
      form: [
        { bars: 2, play: 'pad' },
        { bars: 2, play: 'pad strings' },
        { bars: 8, play: 'pad strings bass brush shaker tune' },
        { bars: 4, play: 'pad strings bass kick brush shaker' },
        { bars: 4, play: 'pad strings bass kick brush shaker tune' },
        { bars: 2, play: 'pad strings' },
      ],
    },
    words: [
      [2, 'Salt on the railing, wind in the sleeve'],
      [6, 'The ferry is early, the gulls will not leave'],
      [12, 'I wrote you a letter of weather and foam'],
      [17, 'The tide took the paper, the words made it home'],
    ],
  },
  {
    title: 'Last Window Lit',
    artist: 'Slow Orchard',
    album: 'Kitchen Light',
    year: 2021,
    mode: 'night',
    space: darkness,
    score: {
      beatsPerMinute: 58,
      beatsPerBar: 4,
      swing: 0.2,
      scale: 'Ab major',
      chords: 'Abmaj9 | Fm9 | Dbmaj9 | Eb6',
      parts: {
        keys: {
          instrument: 'keys',
          pattern: { kind: 'struck', middle: 60, beats: '0:2.6 3:0.9' },
          gain: -11,
          pan: -0.1,
          room: 0.4,
        },
        pad: pad(-20, 56),
        bass: bass('0:2.6:R 3:0.9:5', -10),
        brush: strokes('brush', '....x.......x...', -26, 0.1),
        tune: tune(
          'vibes',
          -10,
          68,
          'r:1 3:.5 5:.5 7:2 | 6:.5 5:.5 3:2 r:1 | r:1 5:.5 6:.5 8:2 | 7:.5 6:.5 5:2 r:1 | r:1 8:1 7:.5 5:1.5 | 3:1 2:.5 3:1.5 r:1 | r:1 4:.5 3:.5 1:2 | 2:2.5 r:1.5',
          0.2,
        ),
      },
      form: [
        { bars: 2, play: 'keys' },
        { bars: 2, play: 'keys pad bass' },
        { bars: 8, play: 'keys pad bass brush tune' },
        { bars: 2, play: 'keys pad bass' },
        { bars: 1, play: 'keys' },
      ],
    },
    words: [
      [2, 'The last window lit on the street is mine'],
      [5, 'A lamp and a book and a half-written line'],
      [8, 'The city has folded its hands on its chest'],
      [11, 'Whoever is listening: come in, have a rest'],
    ],
  },
  {
    title: 'Bicycle Weather',
    artist: 'Paper Meridian',
    album: 'Maps Without Borders',
    year: 2023,
    mode: 'day',
    space: daylight,
    score: {
      beatsPerMinute: 120,
      beatsPerBar: 4,
      scale: 'E major',
      chords: 'E | C#m7 | Aadd9 | B',
      parts: {
        strings: {
          instrument: 'pluck',
          pattern: { kind: 'broken', middle: 64, step: 0.5, order: '0 2 1 2 3 2 1 2' },
          gain: -11,
          pan: -0.2,
          room: 0.18,
        },
        high: {
          instrument: 'pluck',
          pattern: { kind: 'broken', middle: 74, step: 1, order: '2 1 3 0' },
          gain: -17,
          pan: 0.4,
          room: 0.25,
          echo: 0.3,
        },
        pad: pad(-21),
        bass: bass('0:0.9:R 1:0.9:R 2:0.9:R 3:0.9:5', -8),
        kick: strokes('kick', 'x...x...x...x...', -9),
        brush: strokes('brush', '....x.......x...', -19, 0.1),
        shaker: strokes('shaker', 'x.X.x.X.x.X.x.X.', -26, 0.3),
        tune: tune(
          'flute',
          -10,
          76,
          '5:1 3:.5 5:.5 6:1 5:1 | 3:2 r:2 | 5:1 6:.5 8:.5 6:1 5:1 | 2:2 r:2 | 3:1 2:.5 3:.5 5:1 8:1 | 7:1 5:1 r:2 | 6:1 5:.5 3:.5 1:1 3:1 | 2:2 r:2',
        ),
      },
      form: [
        { bars: 4, play: 'strings' },
        { bars: 4, play: 'strings bass shaker' },
        { bars: 8, play: 'strings bass shaker kick brush tune pad' },
        { bars: 4, play: 'strings high bass shaker pad' },
        { bars: 8, play: 'strings high bass shaker kick brush tune pad' },
        { bars: 3, play: 'strings high pad' },
        { bars: 1, play: 'pad' },
      ],
    },
    words: [
      [4, 'Bicycle weather, the chain is in tune'],
      [8, 'Left at the poplars and right at the moon'],
      [16, 'No hands on the handlebars, wind in the spokes'],
      [20, 'The road tells the hillside the oldest of jokes'],
      [26, 'We ride until evening in borrowed coats'],
    ],
  },
  {
    title: 'Moon over Gravel',
    artist: 'Paper Meridian',
    album: 'Maps Without Borders',
    year: 2023,
    mode: 'night',
    space: darkness,
    score: {
      beatsPerMinute: 60,
      beatsPerBar: 3,
      scale: 'F# minor',
      chords: 'F#m9 | Dmaj9 | A/C# | E6 | F#m9 | Dmaj9 | Bm9 | C#m7',
      parts: {
        pad: pad(-17, 58),
        strings: {
          instrument: 'pluck',
          pattern: { kind: 'broken', middle: 62, step: 1, order: '0 2 3' },
          gain: -12,
          pan: -0.25,
          room: 0.45,
          echo: 0.35,
        },
        bass: bass('0:2.5:R', -11),
        tune: tune(
          'vibes',
          -11,
          66,
          'r:1 5:2 | 4:1 3:2 | r:1 3:1 5:1 | 7:2 r:1 | r:1 8:2 | 7:1 5:2 | r:1 4:1 3:1 | 5:2 r:1',
          0.25,
        ),
      },
      form: [
        { bars: 2, play: 'pad' },
        { bars: 6, play: 'pad strings bass' },
        { bars: 8, play: 'pad strings bass tune' },
        { bars: 4, play: 'pad strings' },
        { bars: 1, play: 'pad' },
      ],
    },
    words: [
      [3, 'Moon over gravel, and nobody speaks'],
      [8, 'The river has kept this appointment for weeks'],
      [12, 'One step and another, the stones know the way'],
      [16, 'The dark is a lantern turned round from the day'],
    ],
  },
  {
    title: 'Long Table',
    artist: 'Slow Orchard',
    album: 'Kitchen Light',
    year: 2021,
    mode: 'day',
    space: afternoon,
    score: {
      beatsPerMinute: 112,
      beatsPerBar: 3,
      swing: 0.15,
      scale: 'Eb major',
      chords: 'Ebmaj7 | Cm7 | Fm9 | Bb7sus4 | Gm7 | Cm7 | Abmaj7 | Bb',
      parts: {
        keys: {
          instrument: 'keys',
          pattern: { kind: 'struck', middle: 62, beats: '1:0.7 2:0.7' },
          gain: -14,
          pan: -0.2,
          room: 0.2,
        },
        pad: pad(-21),
        bass: bass('0:2.4:R', -6),
        brush: strokes('brush', '..x.x.', -22, 0.15),
        hat: strokes('hat', 'x.xxx.', -29, -0.3),
        tune: tune(
          'kalimba',
          -8,
          75,
          '5:1.5 3:.5 5:1 | 8:2 r:1 | 6:1.5 5:.5 4:1 | 5:2 r:1 | 7:1.5 5:.5 7:1 | 8:1 5:2 | 6:1 5:1 3:1 | 2:2 r:1 | ' +
            '3:1.5 5:.5 3:1 | 1:2 r:1 | 4:1.5 3:.5 2:1 | 4:2 r:1 | 5:1.5 7:.5 9:1 | 8:1 5:2 | 3:1 2:1 1:1 | 2:2 r:1',
          0.2,
        ),
        answer: tune('flute', -14, 63, 'r:3 | 1:1 2:1 3:1 | r:3 | 4:1 3:1 2:1', -0.35),
      },
      form: [
        { bars: 4, play: 'keys bass' },
        { bars: 4, play: 'keys bass hat brush' },
        { bars: 16, play: 'keys bass hat brush pad tune' },
        { bars: 8, play: 'keys bass hat brush pad answer' },
        { bars: 4, play: 'keys bass pad' },
        { bars: 1, play: 'keys pad' },
      ],
    },
    words: [
      [4, 'Pull up a chair to the long, long table'],
      [10, 'Bring what you have and as much as you’re able'],
      [18, 'Somebody’s grandmother hums in the yard'],
      [26, 'Nobody leaves, and that’s never been hard'],
    ],
  },
]
