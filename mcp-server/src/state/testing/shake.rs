//! SHAKE-128, the random generator and hash of the cipher's accumulated vectors.

/// SHAKE-128 (FIPS 202), from which the accumulated vectors of the cipher are drawn. Checked by those vectors.
pub(crate) struct Shake128 {
    state: [u64; 25],
    read: usize,
}

impl Shake128 {
    const RATE: usize = 168;

    pub(crate) fn new(input: &[u8]) -> Self {
        let mut padded = input.to_vec();
        padded.push(0x1f);
        padded.resize(padded.len().next_multiple_of(Self::RATE), 0);
        if let Some(last) = padded.last_mut() {
            *last |= 0x80;
        }
        let mut state = [0; 25];
        for block in padded.chunks(Self::RATE) {
            for (lane, bytes) in state.iter_mut().zip(block.as_chunks::<8>().0) {
                *lane ^= u64::from_le_bytes(*bytes);
            }
            permute(&mut state);
        }
        Self { state, read: 0 }
    }

    pub(crate) fn array<const N: usize>(&mut self) -> [u8; N] {
        std::array::from_fn(|_| self.byte())
    }

    /// A byte for the length, then so many bytes.
    pub(crate) fn short_vector(&mut self) -> Vec<u8> {
        let length = self.byte();
        (0..length).map(|_| self.byte()).collect()
    }

    fn byte(&mut self) -> u8 {
        if self.read == Self::RATE {
            permute(&mut self.state);
            self.read = 0;
        }
        let byte = self.state[self.read / 8].to_le_bytes()[self.read % 8];
        self.read += 1;
        byte
    }
}

/// Keccak-f[1600].
fn permute(a: &mut [u64; 25]) {
    let mut round_bits = 1_u8;
    for _ in 0..24 {
        // Theta.
        let parity: [u64; 5] =
            std::array::from_fn(|x| a[x] ^ a[x + 5] ^ a[x + 10] ^ a[x + 15] ^ a[x + 20]);
        for (at, lane) in a.iter_mut().enumerate() {
            *lane ^= parity[(at + 4) % 5] ^ parity[(at + 1) % 5].rotate_left(1);
        }
        // Rho and pi.
        let (mut x, mut y, mut current) = (1, 0, a[1]);
        for step in 0..24_u32 {
            (x, y) = (y, (2 * x + 3 * y) % 5);
            let turned = current.rotate_left((step + 1) * (step + 2) / 2 % 64);
            current = std::mem::replace(&mut a[x + 5 * y], turned);
        }
        // Chi.
        for row in a.as_chunks_mut::<5>().0 {
            let old = *row;
            for x in 0..5 {
                row[x] = old[x] ^ (!old[(x + 1) % 5] & old[(x + 2) % 5]);
            }
        }
        // Iota, from the specification's shift register.
        for j in 0..7 {
            if round_bits & 1 == 1 {
                a[0] ^= 1 << ((1 << j) - 1);
            }
            round_bits = (round_bits << 1) ^ if round_bits & 0x80 == 0 { 0 } else { 0x71 };
        }
    }
}
