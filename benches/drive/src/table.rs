//! The report: a Markdown table.

use std::fmt;

use crate::Workload;

/// Microseconds by workload and server, one number for each round.
#[derive(Debug)]
pub struct Table {
    /// Over which transport.
    transport: &'static str,
    /// The first one is the floor.
    names: Vec<&'static str>,
    rows: Vec<Row>,
}

#[derive(Debug)]
struct Row {
    workload: Workload,
    in_flight: usize,
    /// By column, then by round.
    times: Vec<Vec<f64>>,
}

impl Table {
    pub(crate) fn new(transport: &'static str, names: &[&'static str]) -> Self {
        Self {
            transport,
            names: names.to_vec(),
            rows: Vec::new(),
        }
    }

    /// The row of a workload, new if need be.
    pub(crate) fn row(&mut self, workload: Workload, in_flight: usize) -> usize {
        let known = self
            .rows
            .iter()
            .position(|row| row.workload == workload && row.in_flight == in_flight);
        known.unwrap_or_else(|| {
            self.rows.push(Row {
                workload,
                in_flight,
                times: vec![Vec::new(); self.names.len()],
            });
            self.rows.len() - 1
        })
    }

    /// Adds one round's time.
    pub(crate) fn add(&mut self, row: usize, column: usize, microseconds: f64) {
        self.rows[row].times[column].push(microseconds);
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "\nProcessor time of the server for one call over {}, in microseconds, and as a multiple of the {}'s",
            self.transport, self.names[0]
        )?;
        writeln!(f, "(medians over the rounds):\n")?;
        writeln!(f, "| workload | in flight | {} |", self.names.join(" | "))?;
        writeln!(f, "|---|---:|{}", "---:|".repeat(self.names.len()))?;
        for row in &self.rows {
            write!(f, "| {} | {} |", row.workload.title(), row.in_flight)?;
            let floor = &row.times[0];
            for (column, times) in row.times.iter().enumerate() {
                write!(f, " {:.2}", median(times.iter().copied()))?;
                if column > 0 {
                    // Of the rounds' own multiples: the two were measured side by side.
                    let multiples = times.iter().zip(floor).map(|(time, floor)| time / floor);
                    write!(f, " ({:.2}x)", median(multiples))?;
                }
                write!(f, " |")?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.len() {
        0 => f64::NAN,
        odd if odd % 2 == 1 => values[middle],
        _ => (values[middle - 1] + values[middle]) / 2.0,
    }
}
